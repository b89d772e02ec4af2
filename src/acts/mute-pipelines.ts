import type { SteadyClock } from '../core/clock.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { DAY_MS } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import type { Actor } from '../core/run.ts'
import type { Mutes } from '../state/mutes.ts'
import type { RunHistory } from '../state/run-history.ts'

/** A mute is only temporary. To silence a pipeline for good, write `on: []` in its document. */
const LONGEST_MS = 31 * DAY_MS

/**
 * Silences messages about some pipelines until an instant, in milliseconds since 1970. `*` in `pipelines` stands for
 * any characters. A name without `*` must be in `loaded` or have runs: a pipeline whose document is broken now may be
 * missing from `loaded`. Throws `bad-pipelines`, `unknown-pipeline` or `bad-mute-end`.
 */
export async function mutePipelines(
  { pipelines, until }: { pipelines: string; until: number },
  actor: Actor,
  {
    mutes,
    runs,
    loaded,
    clock,
  }: {
    mutes: Pick<Mutes, 'mute'>
    runs: Pick<RunHistory, 'pipelines'>
    /** The names of the pipelines in use. */
    loaded: readonly string[]
    clock: Pick<SteadyClock, 'now'>
  },
): Promise<void> {
  if (!/^[a-z0-9_*-]+$/.test(pipelines)) {
    throw usageError(
      'bad-pipelines',
      `"${pipelines}" is not a pipeline name`,
      'write nightly for one, growth_* for several, * for all',
    )
  }
  const known = [...new Set([...loaded, ...(await runs.pipelines())])]
  if (!pipelines.includes('*') && !known.includes(pipelines)) {
    throw usageError(
      'unknown-pipeline',
      `there is no pipeline ${pipelines}`,
      didYouMean(pipelines, known) ?? `to mute one that is added later, write ${pipelines}*`,
    )
  }
  const since = clock.now()
  if (until <= since || until > since + LONGEST_MS) {
    throw usageError(
      'bad-mute-end',
      `a mute must end within the next ${formatTimeLimit(LONGEST_MS)}`,
      'to silence it for good, write `notify: { on: [] }` in its document',
    )
  }
  await mutes.mute({ pipelines, since, until }, actor)
}

/** Ends a mute early. `pipelines` is the text that the mute was made with. `ended`: whether there was such a mute. */
export async function unmutePipelines(
  pipelines: string,
  actor: Actor,
  { mutes, clock }: { mutes: Pick<Mutes, 'unmute'>; clock: Pick<SteadyClock, 'now'> },
): Promise<{ readonly ended: boolean }> {
  return { ended: await mutes.unmute(pipelines, clock.now(), actor) }
}

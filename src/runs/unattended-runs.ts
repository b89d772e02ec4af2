import type { Engine } from '../core/engine.ts'
import type { RunHistory } from '../state/run-history.ts'

/** A run that has begun but not ended, and that no process is working on. */
export interface UnattendedRun {
  readonly runId: string
  readonly pipeline: string
  /** `stuck`: this process owns the run, but cannot record or resume it. `orphaned`: no process owns it. */
  readonly why: 'stuck' | 'orphaned'
  /** When it was first seen unattended, in milliseconds since 1970. */
  readonly since: number
}

/** Runs are usually resumed within seconds; a run that is unattended for longer than this is reported. */
const REPORT_AFTER_MS = 10_000

type Seen = UnattendedRun & { readonly steadySince: number }

/** The runs of a daemon's service that neither the daemon nor another process is working on. */
export class UnattendedRuns {
  readonly #engine: Pick<Engine, 'stuck'>
  readonly #runs: Pick<RunHistory, 'orphans' | 'find'>
  #seen = new Map<string, Seen>()
  #reported: readonly UnattendedRun[] = []

  constructor(deps: {
    engine: Pick<Engine, 'stuck'>
    runs: Pick<RunHistory, 'orphans' | 'find'>
  }) {
    this.#engine = deps.engine
    this.#runs = deps.runs
  }

  /** The result of the last `look`. */
  get runs(): readonly UnattendedRun[] {
    return this.#reported
  }

  /** Reads the state again. Rejects if it cannot be read; the previous result then stays. */
  async look({ now, steady }: { now: number; steady: number }): Promise<void> {
    const found = new Map<string, Seen>()
    const note = async (why: UnattendedRun['why'], runId: string) => {
      const pipeline = this.#seen.get(runId)?.pipeline ?? (await this.#runs.find(runId))?.pipeline ?? ''
      const { since, steadySince } = this.#seen.get(runId) ?? { since: now, steadySince: steady }
      found.set(runId, { runId, pipeline, why, since, steadySince })
    }
    for (const runId of await this.#runs.orphans()) await note('orphaned', runId)
    for (const runId of this.#engine.stuck()) await note('stuck', runId)
    this.#seen = found
    this.#reported = [...found.values()]
      .filter(({ steadySince }) => steady - steadySince >= REPORT_AFTER_MS)
      .map(({ steadySince: _, ...run }) => run)
  }
}

/** The text for `/readyz`; undefined if there are no such runs. */
export function whyUnattended(runs: readonly UnattendedRun[]): string | undefined {
  const [first] = runs
  if (!first) return undefined
  const rest = runs.length > 1 ? `, and ${runs.length - 1} more` : ''
  return `no process is working on run ${first.runId} of ${first.pipeline}${rest}: ${WHY[first.why]}`
}

/** The problem with such a run, and what to do. */
export const WHY: Readonly<Record<UnattendedRun['why'], string>> = {
  stuck: 'this daemon cannot record or resume it, and tries again; see the log and the check `state` for the reason',
  orphaned: 'no process owns it, and this daemon could not resume it; see the log for the reason',
}

/** The command that shows more, or resumes the run. */
export function commandFor({ runId, why }: Pick<UnattendedRun, 'runId' | 'why'>): string {
  return why === 'stuck' ? 'audience state check' : `audience runs resume ${runId}`
}

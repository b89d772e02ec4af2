import { remoteSources } from '../app/open-remote-source.ts'
import type { Settings } from '../config/settings.ts'
import { AudienceError } from '../core/errors.ts'
import type { RemoteSource } from '../core/remote-source.ts'
import type { Terminal } from './terminal.ts'

interface Sources {
  /** Opens a source on another machine by its name in audience.yaml; undefined if there is none. */
  readonly open: (name: string) => Promise<RemoteSource | undefined>
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal
}

/** Does some work with sources on other machines, and ends the connections. */
export async function withSources<T>(
  { env, surroundings, onInterrupt }: Terminal,
  settings: Pick<Settings, 'sources'>,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  const sources = remoteSources(settings.sources, { clock: surroundings.clock, env })
  const interrupted = new AbortController()
  const forget = onInterrupt(() => interrupted.abort(interruption()))
  try {
    return await work({ open: sources.open, signal: interrupted.signal })
  } finally {
    forget()
    await sources.close()
  }
}

function interruption(): AudienceError {
  return new AudienceError({ code: 'interrupted', kind: 'interrupted', message: 'interrupted' })
}

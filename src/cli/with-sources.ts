import { remoteSources } from '../app/open-remote-source.ts'
import type { Settings } from '../config/settings.ts'
import type { RemoteSource } from '../core/remote-source.ts'
import { interruption, type Terminal, untilInterrupt } from './terminal.ts'

interface Sources {
  /** Opens a source on another machine by its name in audience.yaml; undefined if there is none. */
  readonly open: (name: string) => Promise<RemoteSource | undefined>
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal
}

/** Does some work with sources on other machines, and ends the connections. */
export async function withSources<T>(
  terminal: Terminal,
  settings: Pick<Settings, 'sources'>,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  const { env, surroundings } = terminal
  const sources = remoteSources(settings.sources, { clock: surroundings.clock, env })
  using interrupted = untilInterrupt(terminal, interruption)
  try {
    return await work({ open: sources.open, signal: interrupted.signal })
  } finally {
    await sources.close()
  }
}

import type { SteadyClock } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import type { ListSources } from '../core/list-source.ts'
import type { RemoteSource } from '../core/remote-source.ts'

/** Opens sources on other machines by their names, each once; what they need is loaded with the first look. */
export function remoteSources(sources: ListSources, clock: SteadyClock) {
  const opened = new Map<string, Promise<RemoteSource>>()
  return {
    /** Undefined if audience.yaml has no such source on another machine. */
    async open(name: string): Promise<RemoteSource | undefined> {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined
      if (source?.kind !== 'remote') return undefined
      const { at } = source
      if (at.kind === 's3') throw notYet(name)
      const known =
        opened.get(name) ?? import('../remote/sftp/sftp-source.ts').then((its) => its.sftpSource(at, { clock }))
      opened.set(name, known)
      return known
    },
    async close(): Promise<void> {
      for (const source of opened.values()) await (await source).close()
    },
  }
}

function notYet(name: string): AudienceError {
  return new AudienceError({
    code: 'source-unreachable',
    kind: 'unavailable',
    message: `source ${name} is a bucket, and this version takes files from SFTP servers alone`,
  })
}

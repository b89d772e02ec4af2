import type { SteadyClock } from '../core/clock.ts'
import type { ListSources } from '../core/list-source.ts'
import type { RemoteConfig, RemoteSource } from '../core/remote-source.ts'

interface RemoteDeps {
  clock: SteadyClock
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Opens sources on other machines by their names, each source only once. The code for a kind of source is loaded on
 * first use.
 */
export function remoteSources(sources: ListSources, deps: RemoteDeps) {
  const opened = new Map<string, Promise<RemoteSource>>()
  return {
    /** Undefined if audience.yaml has no such source on another machine. */
    async open(name: string): Promise<RemoteSource | undefined> {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined
      if (source?.kind !== 'remote') return undefined
      const known = opened.get(name) ?? openAt(source.at, deps)
      opened.set(name, known)
      return known
    },
    async close(): Promise<void> {
      for (const source of opened.values()) await (await source).close()
    },
  }
}

async function openAt(at: RemoteConfig, deps: RemoteDeps): Promise<RemoteSource> {
  if (at.kind === 's3') {
    const { S3Source } = await import('../remote/s3/s3-source.ts')
    return new S3Source(at, deps)
  }
  const { SftpSource } = await import('../remote/sftp/sftp-source.ts')
  return new SftpSource(at, deps.clock)
}

import type { SteadyClock } from '../../core/clock.ts'
import type { Disk } from './disk.ts'

/** A call that takes longer than this is told. A file system that works answers within milliseconds. */
const LONG_MS = 60_000
/** They take as long as a file is long. */
const SLOW: ReadonlySet<string> = new Set(['copyFile'])

export interface AttentiveDisk {
  readonly disk: Disk
  /** A sentence about the call below one of some folders that has had no answer for longest, if that is long. */
  unanswered(folders: readonly string[]): string | undefined
}

/**
 * A disk that knows which of its calls have no answer yet: a share whose server is gone answers nothing, not even with an
 * error, and a folder that is watched there would stand still without a word.
 */
export function attentiveDisk(disk: Disk, { steady }: Pick<SteadyClock, 'steady'>): AttentiveDisk {
  const calls = new Set<{ readonly name: string; readonly path: string; readonly since: number }>()
  const attentive = <Given extends readonly unknown[], Answer>(
    name: string,
    work: (...given: Given) => Promise<Answer>,
  ) => {
    return async (...given: Given): Promise<Answer> => {
      const call = { name, path: given.map(String).join(' '), since: steady() }
      calls.add(call)
      try {
        return await work(...given)
      } finally {
        calls.delete(call)
      }
    }
  }
  const wrapped = Object.entries(disk).map(([name, work]) => [
    name,
    typeof work === 'function' && !SLOW.has(name)
      ? attentive(name, work as (...given: unknown[]) => Promise<unknown>)
      : work,
  ])
  return {
    disk: Object.fromEntries(wrapped) as Disk,
    unanswered(folders) {
      const now = steady()
      for (const { name, path, since } of calls) {
        const folder = folders.find((each) => path.startsWith(each))
        if (folder === undefined || now - since < LONG_MS) continue
        return `the file system has not answered for ${Math.round((now - since) / 1000)} s (${name} in ${folder})`
      }
      return undefined
    },
  }
}

import { readlinkSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { SteadyClock } from '../../core/clock.ts'
import { formatRoughDuration } from '../../core/format/duration-text.ts'
import { tried } from '../../core/tried.ts'
import type { Disk } from './disk.ts'

/** A call that takes longer than this is reported. A working file system answers within milliseconds. */
const LONG_MS = 60_000
/** The limit for a copy is higher, because its time depends on the size of the file. */
const LONG_COPY_MS = 900_000

type Work<Given extends readonly unknown[], Answer> = (...given: Given) => Promise<Answer>

/**
 * A disk that knows which of its calls have no answer yet. A share whose server is gone never answers, not even with an
 * error, so its watched folders would stop silently.
 */
export function attentiveDisk(disk: Disk, { steady }: Pick<SteadyClock, 'steady'>) {
  const calls = new Set<{ readonly name: string; readonly paths: readonly string[]; readonly since: number }>()
  const during = async <Answer>(name: string, paths: readonly string[], work: () => Promise<Answer>) => {
    const call = { name, paths, since: steady() }
    calls.add(call)
    try {
      return await work()
    } finally {
      calls.delete(call)
    }
  }
  const attentive =
    <Given extends readonly unknown[], Answer>(name: string, work: Work<Given, Answer>) =>
    (...given: Given) =>
      during(name, given.map(String), () => work(...given))
  const wrapped = Object.entries(disk).map(([name, work]) => [
    name,
    typeof work === 'function' ? attentive(name, work as Work<unknown[], unknown>) : work,
  ])
  const open: Disk['open'] = async (path, ...how) => {
    const file = await during('open', [String(path)], () => disk.open(path, ...how))
    const read = file.read.bind(file) as Work<unknown[], unknown>
    const reading = (...given: unknown[]) => during('read', [String(path)], () => read(...given))
    file.read = reading as FileHandle['read']
    return file
  }
  return {
    disk: { ...(Object.fromEntries(wrapped) as Disk), open },
    /**
     * A sentence about a call in one of these folders if the call has waited a long time for an answer; otherwise
     * undefined.
     */
    unanswered(folders: readonly string[]) {
      const now = steady()
      for (const { name, paths, since } of calls) {
        if (now - since < (name === 'copyFile' ? LONG_COPY_MS : LONG_MS)) continue
        const real = paths.map(named)
        const folder = folders.find((each) => real.some((path) => path.startsWith(each)))
        if (folder === undefined) continue
        return `the file system has not answered for ${formatRoughDuration(now - since)} (${name} in ${folder})`
      }
      return undefined
    },
  }
}

/** Open folders are named by their descriptors, which stay open during a call. */
function named(path: string): string {
  return path.replace(/^\/proc\/self\/fd\/\d+/, (open) => tried(() => readlinkSync(open)) ?? open)
}

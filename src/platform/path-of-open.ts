import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'

/**
 * The real path of an open file. A path may no longer lead where it led when the file was opened; a descriptor always
 * leads to that file. Without /proc, the path is resolved again, and must lead to the same file.
 */
export function pathOfOpen(fd: number, path: string): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const real = realpathSync(path)
  const [there, ours] = [lstatSync(real), fstatSync(fd)]
  if (there.dev !== ours.dev || there.ino !== ours.ino) throw new Error(`${path} now leads to another file`)
  return real
}

/**
 * A path for programs that open files themselves. It leads to the open file, whatever happens to its name, even for
 * processes that this one starts. Without /proc, it is the real path.
 */
export function pathToOpen(fd: number, path: string): string {
  return process.platform === 'linux' ? `/proc/${process.pid}/fd/${fd}` : pathOfOpen(fd, path)
}

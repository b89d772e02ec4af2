import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

/**
 * Runs a program of the tests in a separate process, with one thread for files as in production, and reads the JSON
 * that it writes. It ends with the test at the latest. `place` is for its temporary files.
 */
export async function inWorldProcess<T>(program: string, args: readonly string[], place: string): Promise<T> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, TMPDIR: place, TZ: 'UTC', UV_THREADPOOL_SIZE: '1' },
    maxBuffer: 2 ** 30,
    signal: over.signal,
    killSignal: 'SIGKILL',
  })
  return JSON.parse(stdout) as T
}

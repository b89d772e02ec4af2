import { spawnSync } from 'node:child_process'

/** The milliseconds of one whole Node process, from start to end. Throws if it fails. */
export function wholeProcess(args: readonly string[], cwd: string): number {
  const begun = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  const milliseconds = performance.now() - begun
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return milliseconds
}

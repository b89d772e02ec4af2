import { Writable } from 'node:stream'
import { systemSurroundings } from '../../src/app/surroundings.ts'
import { runCommandLine } from '../../src/cli/run-command-line.ts'
import { type Ended, expectNoSecrets, root } from './audience.ts'

/**
 * Runs a command line in this process, as on a terminal or into a pipe. Paths in `args` must be absolute, or relative
 * to the root of the repository. A separate process needs many times the processor time. Use one only if it is killed,
 * gets signals, runs as another user, or is itself tested.
 */
export async function commandLine(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly isTTY?: true },
): Promise<Ended> {
  const out = collector(options.isTTY)
  const err = collector(options.isTTY)
  const code = await runCommandLine(args, {
    out: out.stream,
    err: err.stream,
    env: { NO_COLOR: '1', ...options.env },
    cwd: options.cwd ?? root,
    surroundings: systemSurroundings,
    onInterrupt: () => () => undefined,
    whenUnread: () => undefined,
  })
  const ended = { code, out: out.text(), err: err.text() }
  expectNoSecrets(ended.out + ended.err, options.env ?? {})
  return ended
}

function collector(isTTY: true | undefined) {
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  const terminal = Object.assign(stream, { isTTY, columns: 100, rows: 40 }) as unknown as NodeJS.WriteStream
  return { stream: terminal, text: () => written }
}

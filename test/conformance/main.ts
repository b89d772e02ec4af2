import { runCommand } from './run-command.ts'

// The first Ctrl-C lets the active cases end, so that the things that they created are deleted; the next one exits
// immediately.
const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  interrupted: interrupted.signal,
})

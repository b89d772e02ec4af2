import { resolve } from 'node:path'
import { openWorldConsole } from '../rehearsal/kept-world.ts'
import { openLog } from './open-log.ts'
import { type ConsoleLinkFlags, showLink } from './print-console-link.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Serves the console of a world that `audience test --keep` kept, until SIGINT or SIGTERM. */
export async function showWorld(folder: string, flags: ConsoleLinkFlags, terminal: Terminal): Promise<number> {
  const { cwd, secrets, surroundings } = terminal
  const interrupted = new Promise<void>((resolve) => terminal.onInterrupt(() => resolve()))
  const log = await openLog(terminal, 'warn')
  const console = await openWorldConsole(resolve(cwd, folder), { secrets, surroundings, log, version: version() })
  showLink(console.url, console.settings, flags, terminal)
  await interrupted
  await console.close()
  return 0
}

import { Command } from 'commander'
import type { Terminal } from './terminal.ts'
import type { ListWorkersFlags } from './workers/list.ts'

/** `audience workers …`: the processes that share a state in PostgreSQL. */
export function workersCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const workers = new Command('workers')
    .description('The processes that work on the runs of a state in PostgreSQL, and the folders that they share.')
    .addHelpText(
      'after',
      `
Examples:
  audience workers list                          who works on how many runs, and who is the keeper
  audience workers list --json | jq -s length    how many there are
  audience workers share /srv/audience           every machine mounts this folder here
`,
    )
  workers
    .command('list')
    .description(
      'Lists the processes, oldest first: each audience start, and each audience run while it runs. The keeper keeps schedules, watches folders and notifies people.',
    )
    .option('--json', 'one JSON object a line: executor, host, pid, version, startedAt, expiresAt, runs, keeper')
    .action(async (flags: ListWorkersFlags) =>
      finish(await (await import('./workers/list.ts')).listWorkersCommand(flags, terminal)),
    )
  workers
    .command('share')
    .description(
      'Marks folders that every machine sees under the same path, by the file .audience-shared in them. It holds for all below them. Workers use no watched folder and no `shared` folder without it, because on their machine it may be another one.',
    )
    .argument('<folders...>', 'the folders, which must be there')
    .action(async (folders: readonly string[]) =>
      finish((await import('./workers/share.ts')).shareFolders(folders, terminal)),
    )
  return workers
}

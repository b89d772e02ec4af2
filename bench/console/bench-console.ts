import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DaemonProcess, startDaemonProcess } from '../daemon/daemon-process.ts'
import { startNotingService } from '../daemon/noting-service.ts'
import { daily, writeDocuments } from '../daemon/write-documents.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { fillHistory } from './fill-history.ts'

const TOKEN = 'token-of-the-console-bench'
const CONFIG = `retention: { runs: 4000d, occurrences: 4000d, audit: 4000d }
console:
  tokens: [{ name: bench, role: approver, tokenEnv: BENCH_TOKEN }]
`
const PIPELINES = 40
const ITEMS = 2000
const PATIENCE_MS = 300_000

/** `audience start` with its console, and the paths to request. */
export interface BenchConsole {
  readonly root: string
  /** The address of the console, with its path. */
  readonly url: string
  /** A run with a forEach of 2,000 items, and one that waits for a person. */
  readonly runs: { readonly many: string; readonly waiting: string }
  daemon(): DaemonProcess
  /** Kills the daemon and starts it again at the same address. Resolves with the duration of that start. */
  restart(): Promise<number>
  get(path: string): Promise<string>
  start(pipeline: string): Promise<string>
}

/** Calls `work` while a daemon with 40 schedules, two real runs and `history` past runs is running. */
export async function withBenchConsole(
  { history, nodeArgs = [], env = {} }: { history: number; nodeArgs?: readonly string[]; env?: Record<string, string> },
  work: (console: BenchConsole) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (root) => {
    writePipelines(root)
    if (history > 0) fillHistory(join(root, '.audience'), history)
    const service = await startNotingService()
    const begin = (port: string) =>
      startDaemonProcess({
        ...{ root, serviceUrl: service.url, config: CONFIG, nodeArgs, args: ['--console-port', port] },
        env: { BENCH_TOKEN: TOKEN, ...env },
      })
    let daemon = await begin('0')
    try {
      const { console: url } = daemon
      const get = (path: string) => ask(url, path)
      const start = async (pipeline: string) => {
        const { runId } = JSON.parse(await ask(url, 'runs', { pipeline })) as { runId: string }
        return runId
      }
      const runs = { many: await start('many'), waiting: await start('ask') }
      await untilStatus(get, runs.many, 'succeeded')
      await untilStatus(get, runs.waiting, 'waiting')
      const restart = async () => {
        await daemon.stop('SIGKILL')
        daemon = await begin(new URL(url).port)
        return daemon.readyMs
      }
      await work({ root, url, runs, daemon: () => daemon, restart, get, start })
    } finally {
      await daemon.stop()
      service.close()
    }
  })
}

function writePipelines(root: string): void {
  writeDocuments(
    root,
    Array.from({ length: PIPELINES }, (_, n) => ({ name: `pipeline-${n}`, triggers: [daily('night', n)] })),
  )
  const write = (name: string, steps: string) =>
    writeFileSync(join(root, 'pipelines', `${name}.yaml`), `version: 1\nname: ${name}\n${steps}`)
  write('ask', 'steps:\n  - { id: first, uses: approval.wait, with: { message: May it begin? } }\n')
  const items = JSON.stringify(Array.from({ length: ITEMS }, (_, n) => n))
  write(
    'many',
    `steps:\n  - { id: look, uses: groups.list, forEach: { items: ${items}, as: number, maxParallel: 50 } }\n`,
  )
  mkdirSync(join(root, '.audience'), { recursive: true })
}

async function ask(url: string, path: string, json?: object): Promise<string> {
  const answer = await fetch(new URL(`api/v1/${path}`, url), {
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return text
}

async function untilStatus(get: BenchConsole['get'], runId: string, status: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (let now = ''; now !== status; ) {
    if (performance.now() > until) throw new Error(`run ${runId} is ${now}, not ${status}`)
    const { run } = JSON.parse(await get(`runs/${runId}`)) as { run: { status: string } }
    now = run.status
    await sleep(200)
  }
}

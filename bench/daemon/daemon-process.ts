import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** `audience start` as installed, in its own process. */
export interface DaemonProcess {
  readonly url: string
  /** The address of the console, unless `--no-console` leaves it out. */
  readonly console: string
  readonly pid: number
  /** From the start of the process until it prints that it is ready. */
  readonly readyMs: number
  usage(): Usage
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** What all threads of the process have used since its start, as counted by the kernel. */
export interface Usage {
  readonly cpuMs: number
  readonly residentMb: number
  readonly peakMb: number
  readonly writtenBytes: number
}

/** The kernel counts processor time in hundredths of a second, on every Linux that Node runs on. */
const TICK_MS = 10
const main = resolve(import.meta.dirname, '../../dist/main.js')

/** Starts it in a folder with `pipelines/`, against a service; `onLog` gets its log, line by line. */
export async function startDaemonProcess(options: {
  readonly root: string
  readonly serviceUrl: string
  readonly onLog?: (line: string) => void
  readonly nodeArgs?: readonly string[]
  /** More flags of `audience start`. */
  readonly args?: readonly string[]
  /** More lines of audience.yaml. */
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}): Promise<DaemonProcess> {
  const { root, serviceUrl, onLog, nodeArgs = [], args = [], config = '', env = {} } = options
  writeFileSync(join(root, 'audience.yaml'), `${configOf(serviceUrl)}${config}`)
  const begin = performance.now()
  const child = spawn(process.execPath, [...nodeArgs, main, 'start', '--port', '0', '--json', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, AUDIENCE_TOKEN: 'bench-token', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const lastLines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line)
    if (lastLines.length > 10) lastLines.shift()
    onLog?.(line)
  })
  const ready = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`the daemon ended with ${code}\n${lastLines.join('\n')}`))),
  ])
  const readyMs = performance.now() - begin
  const { url, console = '', pid } = JSON.parse(String(ready[0])) as { url: string; console?: string; pid: number }
  return {
    ...{ url, console, pid, readyMs },
    usage: () => usageOf(pid),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const kill = setTimeout(() => child.kill('SIGKILL'), 30_000)
      await exited
      clearTimeout(kill)
    },
  }
}

/** Has a channel, so that the notifier runs, too. A bench gives it nothing to send. */
function configOf(serviceUrl: string): string {
  return `profile: bench
profiles:
  bench: { baseUrl: "${serviceUrl}", tokenEnv: AUDIENCE_TOKEN }
notify:
  channels:
    hook: { webhook: { url: "${serviceUrl}/hook" } }
`
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const io = readFileSync(`/proc/${pid}/io`, 'utf8')
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in brackets, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentMb: (numberAfter(status, 'VmRSS:') * 1024) / 1e6,
    peakMb: (numberAfter(status, 'VmHWM:') * 1024) / 1e6,
    writtenBytes: numberAfter(io, 'write_bytes:'),
  }
}

function numberAfter(text: string, head: string): number {
  return Number.parseInt(text.slice(text.indexOf(head) + head.length), 10)
}

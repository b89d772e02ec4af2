import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const main = resolve(import.meta.dirname, '../../dist/main.js')
const LOOK_MS = 100
/** The unit of processor times in /proc. */
const TICK_MS = 10

export interface Used {
  readonly seconds: number
  /** The processor time of the command and all processes that it starts. */
  readonly processorSeconds: number
  /** The peak of the largest of these processes. */
  readonly peakMb: number
  readonly out: string
}

/** Runs `audience test`, which must succeed. Linux only. */
export async function audienceTest(args: readonly string[], cwd: string): Promise<Used> {
  const begin = performance.now()
  const before = processorOfChildren()
  const child = spawn(process.execPath, [main, 'test', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  let peakMb = 0
  const looking = setInterval(() => {
    for (const pid of descendants(child.pid ?? 0)) peakMb = Math.max(peakMb, peakOf(pid))
  }, LOOK_MS)
  const code = await new Promise((settle) => child.on('close', settle))
  clearInterval(looking)
  if (code !== 0) throw new Error(`audience test ${args.join(' ')} ended with ${code}:\n${out}`)
  const seconds = (performance.now() - begin) / 1000
  return { seconds, processorSeconds: (processorOfChildren() - before) / 1000, peakMb, out }
}

/** The processor time of ended child processes and their children, in milliseconds. */
function processorOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

function descendants(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(descendants)]
}

function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`)) ?? []
  return Number(kilobytes) / 1024
}

/** Empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

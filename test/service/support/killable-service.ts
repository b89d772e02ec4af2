import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Address {
  readonly url: string
  readonly token: string
  readonly control: { readonly url: string; readonly token: string }
}

export interface KillableService {
  /** Undefined if the process ended before it was ready. */
  readonly ready: Promise<Address | undefined>
  /** Sends SIGKILL; resolves when the process has ended. Rejects if it had ended by itself. */
  kill(): Promise<void>
}

const script = fileURLToPath(new URL('./service-process.ts', import.meta.url))

/** Starts the service with its real match engine as a separate process. */
export function spawnService(dataDir: string): KillableService {
  const child: ChildProcess = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'close')
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)
  const line = once(lines, 'line').then(([text]) => JSON.parse(String(text)) as Address)
  return {
    ready: Promise.race([line, gone.then(() => undefined)]),
    async kill() {
      child.kill('SIGKILL')
      const [code, signal] = await gone
      if (signal !== 'SIGKILL') throw new Error(`the service ended by itself, with code ${code}`)
    },
  }
}

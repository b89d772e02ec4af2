import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Order, SubjectName } from './subject.ts'

/** A subject in its own process, so that none collects the garbage of another. */
export interface ForkedSubject {
  readonly name: SubjectName
  readonly pid: number | undefined
  /** Milliseconds for all runs. */
  run(runs: number, concurrency: number): Promise<number>
  stepMs(runs: number): Promise<readonly number[]>
  close(): Promise<void>
}

export async function forkSubject(name: SubjectName, folder: string): Promise<ForkedSubject> {
  const child = fork(join(import.meta.dirname, 'subject-process.ts'), [name, folder], {
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ask = (order: Order) => {
    const answer = nextAnswer(child, name)
    child.send(order)
    return answer
  }
  await nextAnswer(child, name)
  return {
    name,
    pid: child.pid,
    run: (runs, concurrency) => ask({ kind: 'run', runs, concurrency }) as Promise<number>,
    stepMs: (runs) => ask({ kind: 'steps', runs }) as Promise<readonly number[]>,
    async close() {
      await ask({ kind: 'close' }).catch((error) => console.error(error))
      child.kill()
    },
  }
}

function nextAnswer(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${name} ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (answer: { value?: unknown; failure?: string }) => {
      child.off('exit', ended)
      if (answer.failure === undefined) resolve(answer.value)
      else reject(new Error(`${name}: ${answer.failure}`))
    })
  })
}

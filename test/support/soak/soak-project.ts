import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Audience, root, spawnAudience } from '../audience.ts'
import { commandLine } from '../command-line.ts'
import { type Project, until } from '../daemon.ts'
import { namesBelow } from '../names-below.ts'
import { BY_HAND, DROPPED, EVERY_MINUTE, named } from './soak-documents.ts'
import type { SoakPerson } from './soak-person.ts'
import type { SoakService } from './soak-service.ts'
import { isOpen, type SoakState } from './soak-state.ts'

/** The result of a soak. */
export interface Soak {
  readonly project: SoakProject
  readonly state: SoakState
  readonly service: SoakService
  /** The number of disturbances of each kind. */
  readonly done: Readonly<Record<string, number>>
  readonly decisions: number
  /** Ends what is still running. */
  close(): Promise<void>
}

/** The documents of a soak in their own folder, and what is requested there. */
export class SoakProject {
  readonly folder: string
  readonly options: Project['options']
  /** The names of everything that a person or a file requested. */
  readonly started: string[] = []

  constructor({ folder, options }: Project) {
    this.folder = folder
    this.options = options
    for (const name of ['pipelines', 'inbox', 'slow']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'audience.yaml'), '')
    // Most of the time, a command in this folder has a request that is waiting for its turn.
    writeFileSync(join(folder, 'slow/audience.yaml'), 'profiles: { local: { limits: { requestsPerSecond: 2 } } }\n')
    const people = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8').split('\n').slice(0, 300)
    writeFileSync(join(folder, 'pipelines/people.csv'), [...people, ''].join('\n'))
    const documents = {
      'by-hand': BY_HAND,
      dropped: DROPPED,
      minutely: EVERY_MINUTE,
      ...named(['quickstart', 'nightly']),
    }
    for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, `pipelines/${name}.yaml`), text)
  }

  /**
   * A person starts a pipeline and waits for it. If `kind` is `slow`, the command may send only two requests a second.
   */
  begin(kind: 'run' | 'slow'): Audience {
    const cwd = kind === 'slow' ? join(this.folder, 'slow') : this.folder
    return spawnAudience(this.#run('by-hand', `${kind}-${this.started.length}`), { ...this.options, cwd })
  }

  /**
   * A person starts a pipeline and does not wait. All runs of `nightly` update the same things; every other run makes
   * things with its own name.
   */
  async submit(pipeline = 'by-hand'): Promise<void> {
    const name = pipeline === 'nightly' ? pipeline : `detached-${this.started.length}`
    await commandLine([...this.#run(pipeline, name), '--detach'], this.options)
  }

  #run(pipeline: string, name: string): string[] {
    this.started.push(name)
    return ['run', join(this.folder, `pipelines/${pipeline}.yaml`), '-i', `name=${name}`, '--json']
  }

  drop(): void {
    const name = `drop-${this.started.length}.csv`
    this.started.push(name)
    copyFileSync(join(this.folder, 'pipelines/people.csv'), join(this.folder, 'inbox', name))
  }

  /** Resolves when nothing is left to do; until then, the person answers. Each check also restarts ended daemons. */
  async untilQuiet(state: SoakState, person: SoakPerson, daemons: SoakDaemons): Promise<void> {
    const left = async () => ({
      open: (await state.runs()).filter(isOpen),
      occurrences: await state.openOccurrences(),
      // Together with the files that were taken out of it and have no run yet.
      inbox: namesBelow(join(this.folder, 'inbox')).filter((name) => name.endsWith('.csv')),
    })
    const isQuiet = async () => {
      daemons.tend()
      await person.decide()
      const { open, occurrences, inbox } = await left()
      return open.length === 0 && occurrences === 0 && inbox.length === 0
    }
    const describe = async () => {
      const { open, ...others } = await left()
      const withRecords = open.map(async (run) => ({ ...run, records: (await state.records(run.runId)).slice(-12) }))
      return `${JSON.stringify({ ...others, open: await Promise.all(withRecords) }, undefined, 1)}\n${daemons.log()}`
    }
    await until(isQuiet, { everyMs: 200, describe })
  }
}

/** The processes that do the work of a soak. */
export interface SoakDaemons {
  /** Restarts the processes that have ended. */
  tend(): void
  /** The last lines that each has written to its log. */
  log(): string
}

/** The end of what a process has written to its log. */
export function lastLines({ pid, writtenErr }: Audience): string {
  return [`the log of ${pid}:`, ...writtenErr().split('\n').slice(-40)].join('\n')
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type OtherService, startOtherService } from '../../other-service/other-service.ts'
import { eventsOf } from '../../support/audience.ts'
import { commandLine } from '../../support/command-line.ts'
import { newDatabase } from '../../support/postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { STORY_FILES } from './story-documents.ts'

/** The place of a project's state. */
export type Place = 'folder' | 'database'

/** A project, and the transcript of a person's commands. */
export interface StoryProject {
  readonly folder: string
  readonly service: OtherService
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
  /** Each command, its output and its exit code, with names in place of parts that differ each time. */
  readonly transcript: readonly string[]
  /** Runs a command in this process, and adds it to the transcript. */
  tell(...args: readonly string[]): Promise<void>
  /** Runs a command that must succeed, and whose output depends on a race. */
  quietly(...args: readonly string[]): Promise<void>
  /** Adds something else to the transcript. */
  note(...lines: readonly string[]): void
  /** The runs that `runs list` with these options shows, newest first. */
  runs(...options: readonly string[]): Promise<readonly string[]>
  /** The newest run with this status, as soon as there is one. */
  runOf(status: string): Promise<string>
}

/**
 * A folder has no workers, and a submission is queued before the daemon takes it. An event that is not recorded, for
 * example the one that says that a step looks for something, reaches only those who follow the run at that moment.
 */
const OF_ONE_PLACE = /^workers |run.queued|is queued|: looks for /

/** A project with the files of the story, whose state is a new folder or a new database. */
export async function storyProject(place: Place, own: Readonly<Record<string, string>> = {}): Promise<StoryProject> {
  const folder = tempFolder()
  // If a job took a millisecond, the load of the machine would decide whether the job is seen at work.
  const service = await startOtherService({ now: Date.now, ways: { jobMs: 0 } })
  onTestFinished(() => service.close())
  for (const [name, text] of Object.entries(STORY_FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const state = place === 'folder' ? join(folder, 'state') : await newDatabase()
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: state, ...own }
  const options = { cwd: folder, env }
  const run = (args: readonly string[]) => commandLine(args, options)
  if (place === 'database') expect(await run(['workers', 'share', folder])).toMatchObject({ code: 0 })
  const named = nameWhatDiffers({
    ...{ [state]: 'STATE', [join(folder, '.audience')]: 'STATE' },
    ...{ [folder]: 'FOLDER', [service.url]: 'SERVICE' },
  })
  const transcript: string[] = []
  const runs = async (...narrowed: readonly string[]) =>
    eventsOf((await run(['runs', 'list', '--json', ...narrowed])).out).map(({ runId }) => String(runId))
  return {
    ...{ folder, service, options, transcript, runs },
    async tell(...args) {
      const { code, out, err } = await run(args)
      const printed = `${out}${err}`.split('\n').filter((line) => line !== '')
      const lines = [`$ audience ${args.join(' ')}`, ...printed, `ended with ${code}`]
      transcript.push(...lines.filter((line) => !OF_ONE_PLACE.test(line)).map(named))
    },
    async quietly(...args) {
      expect(await run(args)).toMatchObject({ code: 0 })
    },
    note: (...lines) => void transcript.push(...lines.map(named)),
    async runOf(status) {
      await expect.poll(() => runs('--status', status), { interval: 300 }).not.toEqual([])
      return String((await runs('--status', status))[0])
    },
  }
}

/**
 * A function that replaces parts of a text with names: these parts, the ids of runs by their order, and times of today.
 */
function nameWhatDiffers(parts: Readonly<Record<string, string>>): (text: string) => string {
  const known = new Map<string, string>()
  const nameOf = (runId: string) => {
    const name = known.get(runId) ?? `RUN${known.size + 1}`
    known.set(runId, name)
    return name
  }
  return (text) =>
    Object.entries(parts)
      .reduce((named, [part, name]) => named.replaceAll(part, name), text)
      .replace(/\d{8}t\d{6}-[a-z0-9]{10}/g, nameOf)
      .replace(/20(?!25)\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)?/g, 'TIME')
      .replace(/\b[\d.]+ (ms|s|min|h|d)\b( \d+ (s|min|h)\b)?/g, 'A WHILE')
      .replace(/"(\w+Ms)":\d+/g, '"$1":0')
      // It does not matter which process resumes the run: on a busy machine, a process may not look alive.
      .replace(/; (process \d|no process).*/, '')
      .replace(/"workers":\[.*?\],/, '')
      .replace(/\.\d{13}-[\w-]{6}\./g, '.TICKET.')
      .replace(/ {2,}/g, '  ')
}

import { join } from 'node:path'
import { DAY_MS } from '../../core/duration.ts'
import { UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import { type LiveDocument, type LiveTrigger, triggersOf } from '../../daemon/documents/live-documents.ts'
import { fileCheck } from '../../policy/enforce.ts'
import type { RunRow } from '../../state/run-history.ts'
import { openSchedule } from '../../triggers/schedule/live-schedule.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { MOST_RUNS } from '../own-runs.ts'
import { copyProject, type Project } from '../project.ts'
import { World } from '../world.ts'
import { participantsOf } from '../world-service.ts'
import { BusiestMinute } from './busiest-minute.ts'
import { type DaySpan, fallsInRest, type Rest } from './choose-days.ts'
import { ListsOfSlots } from './lists-of-slots.ts'
import type { LivedRun, LivedSlot, LiveFound, LiveOrder } from './live-order.ts'
import { standInLists, standInMatching } from './stand-ins.ts'

/** How long to wait for runs to end after the last of these days. */
const LONGEST_REST_MS = DAY_MS
/**
 * The process for a day begins this long before the day, because a slot at the exact moment at which the process begins
 * would not count.
 */
const LEAD_MS = 1_000
/** The statuses of runs that have not ended and do not wait for a person. */
const GOING_ON = UNFINISHED_STATUSES.filter((status) => status !== 'waiting')
/** More slots than one schedule has in a whole simulation. */
const MOST_SLOTS = 1_000_000

/** Something to do at a moment, in milliseconds since 1970. */
interface Act {
  readonly at: number
  readonly act: () => Promise<void>
}

interface Scheduled extends LiveTrigger<'schedule'> {
  readonly schedule: Schedule
}

/**
 * Runs days of documents in full in one world, and reports what happened to their slots. Starts nothing between these
 * days.
 */
export async function liveDays(order: LiveOrder, tell: (found: LiveFound) => void): Promise<void> {
  const { root, pipelines, env, profile, spans, rests, scratch } = order
  const minute = new BusiestMinute()
  let lists: ListsOfSlots | undefined
  const world = await World.begin({
    from: (spans[0]?.from ?? 0) - LEAD_MS,
    seed: 1,
    scratch,
    people: join(scratch, 'people'),
    participants: participantsOf(order.service),
    makeProject: (folder) => {
      lists = new ListsOfSlots(folder, { changes: order.lists === 'changed' })
      return withoutWatches(copyProject({ root, pipelines, given: { env, profile } }, folder))
    },
    standIns: { engine: standInMatching(), lists: standInLists(() => lists?.next() ?? 0), onExchange: minute.note },
    isAlone: true,
  })
  if (!lists) throw new Error('a world has a project')
  for (const span of spans) {
    await world.reach(span.from - LEAD_MS)
    await world.during(world.start())
    const life = new Life(world, lists, rests)
    await life.live(span, () => tell({ goesOn: true }))
    tell({ lived: await life.slotsOf(span), livedUntil: world.time.now(), span })
    await life.leave()
  }
  tell({ peak: minute.busiest })
  await world.end()
}

/** The process of a world while it runs one stretch of days. */
class Life {
  readonly #world: World
  readonly #lists: ListsOfSlots
  readonly #rests: readonly Rest[]
  readonly #schedules: readonly Scheduled[]

  constructor(world: World, lists: ListsOfSlots, rests: readonly Rest[]) {
    this.#world = world
    this.#lists = lists
    this.#rests = rests
    const { documents } = world.runner
    const checkFile = fileCheck(world.project.settings.policy)
    this.#schedules = triggersOf(documents, 'schedule').map((live) => ({
      ...live,
      schedule: openSchedule(live, { checkFile }),
    }))
    for (const { pipeline } of documents) lists.write(pipeline, world.time.now())
  }

  /** Runs a stretch of days, and reports its progress to `onSlot`. */
  async live(span: DaySpan, onSlot: () => void): Promise<void> {
    const world = this.#world
    const forget = this.#changeLists()
    for (const { at, act } of this.#actsIn(span, onSlot)) {
      await world.reach(Math.max(world.time.now(), at))
      await act()
    }
    await world.reach(span.to)
    await this.#untilRest(span)
    forget()
  }

  async slotsOf({ from, to }: DaySpan): Promise<readonly LivedSlot[]> {
    const { occurrences, runs } = this.#world.runner.app.state
    const found: LivedSlot[] = []
    for (const { schedule } of this.#schedules) {
      const filter = { ...schedule.ref, from, to, limit: MOST_SLOTS }
      for (const { pipeline, trigger: id, at, state, reason, runId } of await this.#world.during(
        occurrences.list(filter),
      )) {
        const row = runId === undefined ? undefined : await this.#world.during(runs.find(runId))
        const run = row && this.#runOf(row)
        found.push({ pipeline, trigger: id, at, state, reason: this.#shown(reason), run })
      }
    }
    return found
  }

  #runOf({ status, submittedAt, beganAt, finishedAt, error, partnerWaits }: RunRow): LivedRun {
    const why = error && `${error.step === undefined ? '' : `step ${error.step}: `}${error.message}`
    const isAtPartner = partnerWaits !== undefined
    return { status, submittedAt, beganAt, finishedAt, error: this.#shown(why), isAtPartner }
  }

  /** Ends the process. */
  async leave(): Promise<void> {
    for (const { schedule } of this.#schedules) await this.#forgetSlots(schedule)
    this.#world.stop()
  }

  /** Forgets when a schedule was last seen, so that earlier slots do not count as missed. */
  async #forgetSlots({ ref }: Schedule): Promise<void> {
    const { time, runner } = this.#world
    await this.#world.during(runner.app.state.occurrences.note(ref, { cursor: time.now(), times: '' }))
  }

  /** The acts of a stretch of days: what is done before each slot, and when each schedule rests. */
  #actsIn({ from, to }: DaySpan, onSlot: () => void): readonly Act[] {
    const acts: Act[] = []
    const resting = new Set<Scheduled>()
    for (const of of this.#schedules) {
      const { pipeline, trigger, schedule } = of
      const rests = this.#rests.filter((rest) => triggerName(rest) === triggerName(schedule.ref))
      for (const at of schedule.slotsAfter(from - 1)) {
        if (at >= to) break
        const startsAt = schedule.startOf(at)
        if (schedule.isExcluded(at) || fallsInRest(rests, { at, startsAt })) continue
        const act = async () => {
          this.#lists.writeFor({ pipeline, trigger, schedule, at }, this.#world.time.now())
          onSlot()
        }
        acts.push({ at: startsAt - LEAD_MS, act })
      }
      for (const rest of rests) {
        if (rest.from < from || rest.from >= to) continue
        const begin = async () => this.#use(resting.add(of))
        const end = async () => {
          await this.#forgetSlots(schedule)
          resting.delete(of)
          this.#use(resting)
        }
        acts.push({ at: rest.from - 1, act: begin })
        if (rest.to < to) acts.push({ at: rest.to - LEAD_MS, act: end })
      }
    }
    return acts.toSorted((a, b) => a.at - b.at)
  }

  /** Hides resting schedules from the runner. */
  #use(resting: ReadonlySet<Scheduled>): void {
    const { runner } = this.#world
    const triggers = new Set<unknown>([...resting].map(({ trigger }) => trigger))
    const documents = runner.documents.map((document) =>
      document.pipeline.triggers.some((one) => triggers.has(one))
        ? withTriggers(document, (one) => !triggers.has(one))
        : document,
    )
    runner.replace(documents)
  }

  /**
   * Gives each run lists that differ from those of the run before. A list is never written while another run reads it.
   */
  #changeLists(): () => void {
    const { app, documents } = this.#world.runner
    const pipelines = new Map(documents.map(({ pipeline }) => [pipeline.name, pipeline]))
    const underWay = new Map<string, Pipeline>()
    return app.engine.watch((event) => {
      if (event.event === 'run.finished') underWay.delete(event.runId)
      const pipeline = event.event === 'run.started' ? pipelines.get(event.pipeline) : undefined
      if (!pipeline) return
      if (![...underWay.values()].includes(pipeline)) this.#lists.change(pipeline, this.#world.time.now())
      underWay.set(event.runId, pipeline)
    })
  }

  /** Lets time pass until the runs of a stretch have ended, or are waiting for somebody. */
  async #untilRest({ to }: DaySpan): Promise<void> {
    const { app } = this.#world.runner
    let mayRest = true
    const forget = app.engine.watch(() => {
      mayRest = true
    })
    await this.#world.goOn(async () => {
      if (!mayRest) return false
      mayRest = false
      const { rows } = await app.state.runs.page({ status: GOING_ON, to, limit: MOST_RUNS })
      return rows.every(({ partnerWaits }) => partnerWaits)
    }, to + LONGEST_REST_MS)
    forget()
  }

  /** The folder of the world differs each time. */
  #shown(text: string | undefined): string | undefined {
    return text?.replaceAll(`${this.#world.folder}/project/`, '').replaceAll(`${this.#world.folder}/`, '')
  }
}

/** Removes watches, because no file is dropped and so nothing needs to check for one. */
function withoutWatches(project: Project): Project {
  const scheduled = (document: LiveDocument) => withTriggers(document, ({ kind }) => kind !== 'watch')
  return {
    ...project,
    documents(settings) {
      const [first, ...others] = project.documents(settings)
      return [scheduled(first), ...others.map(scheduled)]
    },
  }
}

function withTriggers(
  { pipeline, ...document }: LiveDocument,
  isWanted: (trigger: Pipeline['triggers'][number]) => boolean,
): LiveDocument {
  return { ...document, pipeline: { ...pipeline, triggers: pipeline.triggers.filter(isWanted) } }
}

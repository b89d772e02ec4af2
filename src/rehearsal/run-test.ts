import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type OperationId, operations } from '../contract/operations.ts'
import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import type { Witness } from './happened.ts'
import { factsOf, judge, lookSince } from './judge.ts'
import { noteWorld } from './kept-world.ts'
import { describeOpen } from './open-runs.ts'
import { perform, planAfter } from './perform.ts'
import { confined, copyProject } from './project.ts'
import { quickDisk } from './quick-disk.ts'
import type { TestAct, TestCase, TestDocument, TestEvent } from './test-document.ts'
import { pipelinesBefore } from './test-project.ts'
import { type EventFacts, isUpdatable, type RunOptions, type TestFailure, type TestResult } from './test-result.ts'
import { World } from './world.ts'
import { WorldFiles } from './world-files.ts'
import { participantsOf } from './world-service.ts'

/** Runs one test in its own world. `root` is the folder of the project. If a world is kept, its folder stays. */
export async function runTest(
  test: TestCase,
  {
    document,
    people,
    root,
    keep,
    seed,
    scratch,
    update,
    witness,
  }: RunOptions & { document: TestDocument; people: string; witness?: Witness },
): Promise<TestResult> {
  const { given, pipeline } = document
  const { network, latencies } = given.service
  const world = await World.begin({
    from: given.from,
    seed,
    participants: participantsOf(network === undefined ? latencies : { network }),
    people,
    scratch,
    standIns: { witness },
    makeProject(folder) {
      const pipelines = [pipeline, ...pipelinesBefore(pipeline, root)] as const
      return confined(copyProject({ root, pipelines, given }, folder), dirname(folder))
    },
  })
  const keptAt = keep ? join(quickDisk(), basename(world.folder)) : undefined
  const failures: TestFailure[] = []
  const facts: EventFacts[] = []
  let requests: readonly string[] = []
  let open: readonly string[] = []
  try {
    const files = new WorldFiles(world)
    for (const [name, spec] of given.files) await world.during(files.write(name, spec))
    await world.during(world.start())
    for (const [number, event] of test.events.entries()) {
      const ended = await runEvent(event, world, files)
      ;({ requests, open } = ended)
      if (ended.facts) facts.push(ended.facts)
      failures.push(...ended.failures.map((failure) => ({ ...failure, event: number })))
      if (ended.failures.some(({ what }) => !update || !isUpdatable(what))) break
    }
    await world.noteRecords()
    if (keptAt !== undefined && failures.length > 0) {
      const [{ file }] = world.runner.documents
      noteWorld(world.folder, { service: world.service, profile: given.profile, env: given.env, pipeline: file })
    }
    return {
      it: test.it,
      at: test.at,
      failures,
      facts,
      requests: failures.length > 0 ? requests : [],
      open: failures.length > 0 ? open : [],
      livedMs: world.time.now() - given.from,
      digest: world.digest(),
      kept: failures.length > 0 ? keptAt : undefined,
    }
  } finally {
    await world.end()
    if (keptAt !== undefined && failures.length > 0) renameSync(world.folder, keptAt)
    else rmSync(world.folder, { recursive: true, force: true })
  }
}

/** Acts that start a run. */
const STARTS: ReadonlySet<string> = new Set<TestAct['kind']>(['run', 'nights', 'slot', 'drop', 'retry'])

async function runEvent(
  event: TestEvent,
  world: World,
  files: WorldFiles,
): Promise<{
  readonly failures: readonly Omit<TestFailure, 'event'>[]
  readonly requests: readonly string[]
  readonly facts?: EventFacts
  readonly open: readonly string[]
}> {
  const { act, change, faults, kill, expect } = event
  const since = {
    sequence: await world.during(world.runner.app.state.runs.lastChange()),
    caught: world.caught.notified.length,
    sent: world.caught.sent.length,
  }
  const rules: string[] = []
  for (const fault of faults) rules.push(await world.addFault(fault))
  if (kill)
    world.killAt(
      ({ direction, method, path }) =>
        (direction === 'request') === (kill.when === 'before') && operationAt(method, path) === kill.operation,
    )
  const changeFiles = async () => {
    for (const [name, spec] of change) await world.during(files.write(name, spec))
  }
  if (act.kind !== 'nights') await changeFiles()
  try {
    await perform(act, world, files, changeFiles)
  } catch (error) {
    if (!(error instanceof AudienceError)) throw error
    const seen = messageOf(error).replaceAll(`${world.folder}/`, '')
    const expected = error.code === 'no-end' ? 'it ends' : 'it can be done'
    const open = await openThings(act, world)
    return { failures: [{ at: event.at, what: act.kind, expected, seen }], requests: [], open }
  }
  const absent = world.forgetKill() && kill ? [`kill ${kill.when} ${kill.operation}`] : []
  absent.push(...(await unmetFaults(rules, world)))
  const looked = await lookSince(world, since, absent)
  const seen = { ...looked, plan: expect.plan && (await planAfter(act, world)) }
  // Drops the requests of the plan, because they do not belong to the event.
  if (expect.plan) await world.takeRequests()
  const failures = judge(expect, seen, {
    pipeline: world.runner.documents[0].pipeline,
    starts: STARTS.has(act.kind),
  }).map((mismatch) => ({
    at: expect.at,
    ...mismatch,
    // The folder of the world differs each time.
    seen: mismatch.seen.replaceAll(`${world.folder}/`, ''),
  }))
  const open = failures.length > 0 ? await openThings(act, world) : []
  return { failures, requests: seen.requests, open, facts: factsOf(seen) }
}

/**
 * The runs that have not ended after an event, with what each is waiting for, and the dropped files that were not
 * taken.
 */
async function openThings(act: TestAct, world: World): Promise<readonly string[]> {
  world.limitLeaps()
  const runs = await world.during(describeOpen(world.runner.app.state.runs))
  const dropped = act.kind === 'drop' ? [...act.files.keys()] : []
  const left = dropped.filter((name) => existsSync(world.project.pathOf(name)))
  return [...runs, ...left.map((name) => `${name} is still where it was dropped`)].map((line) =>
    line.replaceAll(`${world.folder}/`, ''),
  )
}

async function unmetFaults(rules: readonly string[], world: World): Promise<string[]> {
  if (rules.length === 0) return []
  const { faults } = await world.during(world.control('faults.list'))
  await world.during(world.control('faults.clear'))
  return (faults as readonly { id: string; action: string; operation: string; applied: number }[])
    .filter(({ id, applied }) => rules.includes(id) && applied === 0)
    .map(({ action, operation }) => `fault ${action} of ${operation}`)
}

const PATTERNS = (Object.keys(operations) as OperationId[]).map((id) => {
  const { method, path } = operations[id]
  return { id, method, pattern: new RegExp(`^/p/[^/]+${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }
})

/** The operation of a request, by its method and target; undefined if the contract has no such operation. */
function operationAt(method: string, target: string): OperationId | undefined {
  const [path = ''] = target.split('?')
  return PATTERNS.find((one) => one.method === method && one.pattern.test(path))?.id
}

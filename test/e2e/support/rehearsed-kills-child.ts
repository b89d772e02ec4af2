import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lookSince } from '../../../src/rehearsal/judge.ts'
import type { Passing } from '../../../src/rehearsal/network.ts'
import { perform } from '../../../src/rehearsal/perform.ts'
import { copyProject } from '../../../src/rehearsal/project.ts'
import { projectOf, readTestFile } from '../../../src/rehearsal/test-project.ts'
import { World } from '../../../src/rehearsal/world.ts'
import { WorldFiles } from '../../../src/rehearsal/world-files.ts'
import { defaultNetwork } from '../../../src/service/network/default-network.ts'
import { askedOf, type Death, type Outcome } from './deaths.ts'

/*
 * Runs the document of a test file undisturbed, and then twice for each of some exchanges: the process of the run dies
 * at that exchange, once before the request arrives and once before the answer does. Writes the results as JSON.
 * `every`: uses each nth exchange; `polls`: whether a repeated exchange counts each time.
 */

const [file = '', people = '', every = '1', polls = ''] = process.argv.slice(2)
const root = projectOf(file)
const scratch = mkdtempSync(join(tmpdir(), 'kills-'))
const { given, pipeline } = readTestFile(file, root)

async function live(isDeath: (passing: Passing) => boolean): Promise<Outcome> {
  const world = await World.begin({
    ...{ from: given.from, seed: 1, participants: defaultNetwork, people, scratch },
    makeProject: (folder) => copyProject({ root, pipelines: [pipeline], given }, folder),
  })
  const files = new WorldFiles(world)
  for (const [name, spec] of given.files) await world.during(files.write(name, spec))
  await world.during(world.start())
  world.killAt(isDeath)
  await perform({ kind: 'run', inputs: {} }, world, files, async () => undefined)
  const { newest, held, live } = await lookSince(world, { sequence: 0, caught: 0, sent: 0 }, [])
  await world.end()
  rmSync(world.folder, { recursive: true, force: true })
  return { status: newest?.status, held, live }
}

const asked: Omit<Death, 'when'>[] = []
const note = (passing: Passing) => {
  const exchange = askedOf(passing)
  const nth = asked.filter((one) => one.exchange === exchange).length + 1
  if (passing.direction === 'request') asked.push({ exchange, nth })
  return false
}
const undisturbed = await live(note)
const chosen = asked.filter(({ nth }) => nth === 1 || polls !== '').filter((_, at) => at % Number(every) === 0)
const lived: { readonly death: Death; readonly outcome: Outcome }[] = []
for (const { exchange, nth } of chosen)
  for (const when of ['before', 'after'] as const) {
    let seen = 0
    const outcome = await live(
      (passing) =>
        (passing.direction === 'request') === (when === 'before') && askedOf(passing) === exchange && ++seen === nth,
    )
    lived.push({ death: { exchange, nth, when }, outcome })
  }
rmSync(scratch, { recursive: true, force: true })
process.stdout.write(JSON.stringify({ undisturbed, lived }), () => process.exit())

import { existsSync, globSync, linkSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { defaultNetwork } from '../../src/service/network/default-network.ts'
import { openPeopleDatabase } from '../../src/service/population/database.ts'
import { createPopulation } from '../../src/service/population/population.ts'

/** The members of the group that the pipelines of tests match with. */
const MATCHED = [2001, 2002, 2003]

/**
 * Gives a new service the people that it would otherwise make for the first segment and match. Making the same people
 * itself would take the service a second.
 */
export async function givePeople(state: string): Promise<void> {
  mkdirSync(join(state, 'service'), { recursive: true, mode: 0o700 })
  await givePeopleTo(join(state, 'service/data'))
}

/** The same for the folder of a service. */
export async function givePeopleTo(data: string): Promise<void> {
  const made = await people()
  const target = join(data, 'population')
  if (existsSync(target)) return
  for (const file of globSync('**/*.{parquet,json}', { cwd: made })) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    linkSync(join(made, file), join(target, file))
  }
}

let making: Promise<string> | undefined

function people(): Promise<string> {
  making ??= makePeople(inject('sharedFolder'))
  return making
}

async function makePeople(folder: string): Promise<string> {
  const people = join(folder, 'people')
  if (existsSync(people)) return people
  const own = mkdtempSync(join(folder, 'making-'))
  const database = await openPeopleDatabase({ tempDir: join(own, 'tmp'), memoryLimit: '1GB' })
  const population = createPopulation(join(own, 'people'), defaultNetwork, async () => database)
  await population.prepare()
  for (const participant of defaultNetwork.participants) {
    if (MATCHED.includes(participant.id)) await population.universe(participant)
    if (participant.id === 1001) await population.graph(participant, 'EMAIL', 'key')
  }
  await database.close()
  try {
    renameSync(join(own, 'people'), people)
  } catch (error) {
    // Another process has made the people already.
    if (!existsSync(people)) throw error
  }
  return people
}

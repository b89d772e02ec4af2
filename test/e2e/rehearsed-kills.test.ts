import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Audience, root, spawnAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { stateRows } from '../support/daemon.ts'
import { startService } from '../support/host-service.ts'
import { isLong } from '../support/is-long.ts'
import { givePeopleTo } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { watchingProxy } from '../support/watching-proxy.ts'
import { askedOf, type Death, type Outcome } from './support/deaths.ts'
import { inWorldProcess } from './support/in-world-process.ts'

/*
 * A process dies at an exchange, in a rehearsal and for real: nothing is made twice, nothing is lost, and the run ends
 * as if nothing had happened, or asks a person. `npm run soak` uses every exchange, also polls, and kills the real
 * command at each kind; otherwise only some are used.
 */

const CHILD = join(import.meta.dirname, 'support/rehearsed-kills-child.ts')
/** The test rehearses one in this many exchanges, and of those it runs one in this many for real. */
const [REHEARSED, LIVED] = isLong ? [1, 1] : [6, 5]

for (const document of ['quickstart.yaml', 'nightly.yaml'])
  test(`${document}: a process that dies at an exchange makes nothing twice and loses nothing, as in life`, async () => {
    const project = projectOf(document)
    const { undisturbed, lived } = await rehearseDeaths(project)
    expect(undisturbed).toEqual({ status: 'succeeded', held: [], live: { segments: 1, matches: 1, activations: 1 } })
    expect(lived.length).toBeGreaterThan(4)
    for (const { death, outcome } of lived) {
      const about = JSON.stringify(death)
      if (outcome.status === 'succeeded') expect(outcome, about).toEqual(undisturbed)
      else {
        expect(outcome, about).toMatchObject({ status: 'waiting', held: [expect.stringMatching(/^(match|activate)$/)] })
        expect(Math.max(...Object.values(outcome.live)), about).toBe(1)
      }
    }
    // The number of polls depends on the machine.
    const real = lived.filter(({ death }) => death.nth === 1).filter((_, at) => at % LIVED === 0)
    for (const { death, outcome } of real)
      expect(await dieInLife(project, document, death), JSON.stringify(death)).toEqual(outcome)
  })

function projectOf(document: string): string {
  const project = tempFolder()
  cpSync(join(root, 'pipelines', document), join(project, document))
  mkdirSync(join(project, 'data'))
  cpSync(join(root, 'pipelines/data/auto-intenders.csv'), join(project, 'data/auto-intenders.csv'))
  const files = { 'data/auto-intenders.csv': { copy: 'data/auto-intenders.csv' } }
  const told = { test: document, given: { from: '2026-10-20', files }, tests: [{ it: 'lives', do: [{ run: {} }] }] }
  writeFileSync(join(project, 'own.test.yaml'), JSON.stringify(told))
  return project
}

async function rehearseDeaths(project: string) {
  const place = tempFolder()
  await givePeopleTo(place)
  const order = [join(project, 'own.test.yaml'), join(place, 'population'), String(REHEARSED), isLong ? 'polls' : '']
  return inWorldProcess<{
    readonly undisturbed: Outcome
    readonly lived: readonly { readonly death: Death; readonly outcome: Outcome }[]
  }>(CHILD, order, place)
}

/** The real command, killed at the same exchange, and then resumed. */
async function dieInLife(project: string, document: string, death: Death): Promise<Outcome> {
  const state = tempFolder()
  const service = await startService(state)
  const phase = death.when === 'before' ? 'before' : 'between'
  let child: Audience | undefined
  const proxy = await watchingProxy(service.url, (request, now) => {
    const [method = '', path = ''] = request.split(' ')
    if (now !== phase || askedOf({ method, path }) !== death.exchange || child?.killed !== false) return undefined
    child.kill('SIGKILL')
    // This request never gets an answer.
    return new Promise(() => {})
  })
  const folder = join(state, 'runner')
  const options = {
    cwd: project,
    env: { AUDIENCE_STATE: join(folder, 'state'), AUDIENCE_TOKEN: service.token, AUDIENCE_BASE_URL: proxy.url },
  }
  child = spawnAudience(['run', document, '--json'], options)
  await child.ended
  expect(child.killed).toBe(true)
  const [run] = stateRows({ folder }, 'SELECT run_id AS runId FROM runs')
  await commandLine(['runs', 'resume', String(run?.runId), '--json'], options)
  await proxy.close()
  const [after] = stateRows({ folder }, 'SELECT status FROM runs')
  const held = stateRows(
    { folder },
    `SELECT data ->> 'step' AS step FROM records WHERE data ->> 'type' = 'step.waiting'`,
  )
  return {
    status: String(after?.status),
    held: after?.status === 'waiting' ? held.map(({ step }) => String(step)) : [],
    live: await liveAt(service),
  }
}

async function liveAt({ control }: { readonly control: { readonly url: string; readonly token: string } }) {
  const count = async (kind: keyof Outcome['live']) => {
    const answer = await fetch(`${control.url}/${kind}?limit=1000`, {
      headers: { authorization: `Bearer ${control.token}` },
    })
    const found = (await answer.json()) as Record<string, readonly unknown[]>
    return found[kind]?.length ?? 0
  }
  return { segments: await count('segments'), matches: await count('matches'), activations: await count('activations') }
}

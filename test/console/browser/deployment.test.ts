import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiAnswerOf } from '../../../src/console/api/operations.ts'
import { until } from '../../support/daemon.ts'
import { upstream } from '../../support/git-server.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { closeVisit, goWithin, openVisit, untilLoaded } from './support/visit.ts'

const document = (name: string, description: string) =>
  `version: 1\nname: ${name}\ndescription: ${JSON.stringify(description)}\nsteps: [{ id: ask, uses: approval.wait, with: { message: go on? } }]\n`
const HOSTILE = '<img src=x onerror="document.title=1"> new partner'

let bench: ConsoleBench
const removals: (() => void)[] = []
const commits = { first: '', second: '', bad: '' }

type Found = ApiAnswerOf<'deployment.get'>

const deployment = async () => (await bench.as('viewer', 'deployment')).body as unknown as Found
/** Makes the daemon look at the repository now, and waits until it has. */
async function untilFound(isSo: (found: Found) => boolean): Promise<void> {
  await bench.post('operator', 'deployment/look')
  await until(async () => isSo(await deployment()))
}

beforeAll(async () => {
  const remote = upstream((remove) => removals.push(remove))
  commits.first = remote.commit({ 'pipelines/p.yaml': document('p', 'one') }, 'the first')
  const git = JSON.stringify({ git: { url: remote.url, every: '10s' } })
  bench = await startConsoleBench({}, { config: `pipelines: ${git}`, env: { PATH: process.env.PATH ?? '' } })
  await untilFound(({ deployed }) => deployed?.commit === commits.first)
  commits.second = remote.commit({
    'pipelines/p.yaml': document('p', 'two'),
    'pipelines/q.yaml': document('q', `</td>${HOSTILE}`),
    'pipelines/people.csv': 'email\nana@example.com\n',
  })
  await untilFound(({ deployed }) => deployed?.commit === commits.second)
  commits.bad = remote.commit({ 'pipelines/p.yaml': 'version: 1\nname: [p\n' }, HOSTILE)
  await untilFound(({ state }) => state === 'refused')
})
afterAll(async () => {
  await bench?.stop()
  for (const remove of removals) remove()
})

describe('over the API', () => {
  test('the commit in use stands beside the one that is refused, with the places of its problems', async () => {
    expect(await deployment()).toMatchObject({
      state: 'refused',
      deployed: { commit: commits.second, pipelines: 2, act: 'deploy' },
      remote: {
        commit: commits.bad,
        subject: HOSTILE,
        problems: [{ file: 'pipelines/p.yaml', line: 2, column: 7, code: 'yaml-syntax', hint: expect.any(String) }],
      },
      deployments: [
        { commit: commits.second, kept: true },
        { commit: commits.first, kept: true },
      ],
    })
    expect((await bench.as('viewer', 'me')).body.deploys).toBe(true)
  })

  test('the documents of a commit are compared with those of the one before, and other files are only named', async () => {
    const { body } = await bench.as('viewer', `deployment/commits/${commits.second.slice(0, 7)}`)
    expect(body).toMatchObject({
      against: { commit: commits.first },
      files: [
        {
          file: 'pipelines/p.yaml',
          change: 'changed',
          diff: expect.arrayContaining([
            { kind: 'removed', text: 'description: "one"', before: 3 },
            { kind: 'added', text: 'description: "two"', after: 3 },
          ]),
        },
        { file: 'pipelines/people.csv', change: 'added', diff: [], notShown: 'not-a-document' },
        { file: 'pipelines/q.yaml', change: 'added' },
      ].toSorted((a, b) => (a.file < b.file ? -1 : 1)),
      moreFiles: 0,
    })
    expect(JSON.stringify(body)).not.toContain('ana@')
    const { body: back } = await bench.as('viewer', `deployment/commits/${commits.first}?against=${commits.second}`)
    expect(back).toMatchObject({ files: [{ change: 'changed' }, { change: 'removed' }, { change: 'removed' }] })
    expect(await bench.as('viewer', 'deployment/commits/ffff')).toMatchObject({
      status: 404,
      body: { code: 'unknown-commit' },
    })
    expect((await bench.as('viewer', `deployment/commits/${commits.first.slice(0, 3)}`)).status).toBe(404)
  })

  test('a run says its commit, in its own answer and in lists', async () => {
    const { body } = await bench.post('operator', 'runs', { pipeline: 'p' })
    const run = (await bench.as('viewer', `runs/${body.runId}`)).body
    expect(run).toMatchObject({ git: { commit: commits.second, dirty: false }, run: { commit: commits.second } })
    expect((await bench.as('viewer', 'runs')).body.runs).toMatchObject([{ commit: commits.second }])
    const listed = JSON.parse((await bench.command('runs', 'list', '--json')).out)
    expect(listed).toMatchObject({ runId: body.runId, commit: commits.second })
    expect((await bench.command('runs', 'show', String(body.runId))).out).toContain(commits.second)
  })

  test('only operators act, with a comment, and each act is in the audit log', async () => {
    expect((await bench.post('viewer', 'deployment/pause')).status).toBe(403)
    expect((await bench.post('operator', 'deployment/pause', { reason: 'freeze' })).status).toBe(200)
    expect(await deployment()).toMatchObject({ state: 'paused', paused: { by: 'the operator', comment: 'freeze' } })
    expect((await bench.post('operator', 'deployment/resume')).body).toEqual({ wasPaused: true })
    expect(await bench.post('operator', 'deployment/rollback', { commit: commits.second })).toMatchObject({
      status: 409,
      body: { code: 'commit-in-use' },
    })
    const acts = (await bench.as('viewer', 'audit')).body.entries as { act: string; outcome: string }[]
    expect(acts.filter(({ act }) => act !== 'deploy.now').slice(0, 4)).toMatchObject([
      { act: 'deploy.rollback', subject: commits.second, outcome: 'commit-in-use' },
      { act: 'deploy.resume', outcome: 'done' },
      { act: 'deploy.pause', outcome: 'done', comment: 'freeze' },
      { act: 'deploy.pause', outcome: 'role-missing' },
    ])
  })
})

describe.skipIf(!findChromium())('in a browser', () => {
  test('the page shows it as it is, the changes of a commit, and rolls back by keys alone', async () => {
    const visiting = await openVisit(await sharedChromium(), bench)
    const { page, faults } = visiting
    await page.getByRole('link', { name: 'Deployment' }).press('Enter')
    await page.getByText('The newest commit is refused').waitFor()
    await page.getByText(HOSTILE).first().waitFor()
    await page.getByText('pipelines/p.yaml:2:7').waitFor()
    await look(page, 'deployment', [390])

    await page
      .getByRole('table')
      .getByRole('link', { name: commits.second.slice(0, 7) })
      .press('Enter')
    await page.getByText('description: "two"').waitFor()
    await untilLoaded(page)
    await look(page, 'deployment-changes', [390])
    await page.getByRole('link', { name: 'All deployments' }).press('Enter')

    await page.getByRole('button', { name: /^Roll back…/ }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The newest commit of the repository is skipped.').waitFor()
    await look(page, 'dialog-roll-back', [390])
    await dialog.getByLabel(/Reason/).fill('bad list')
    await dialog.getByRole('button', { name: 'Roll back' }).press('Enter')
    await page.getByText('went back to it: “bad list”').waitFor()
    expect(await deployment()).toMatchObject({ deployed: { commit: commits.first }, skipped: commits.bad })

    for (const [button, text] of [
      [/^Check now…/, 'A commit that was refused is checked again.'],
      [/^Pause…/, 'New commits are not deployed until'],
    ] as const) {
      await page.getByRole('button', { name: button }).press('Enter')
      await dialog.getByText(text).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    const [{ runId }] = (await bench.as('viewer', 'runs')).body.runs as [{ runId: string }]
    await goWithin(page, new URL(`runs/${runId}`, bench.url).href)
    await page.getByRole('link', { name: commits.second.slice(0, 7) }).press('Enter')
    await page.getByText('description: "two"').waitFor()
    await page.getByRole('link', { name: 'Compare with the commit in use' }).press('Enter')
    await page.getByRole('link', { name: 'Compare with the commit before it' }).waitFor()
    expect(await page.title()).not.toBe('1')
    expect(faults).toEqual([])
    await closeVisit(visiting)
  })
})

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { untilStatus } from './support/until-status.ts'
import { closeVisit, goOn, openVisit, type Visit } from './support/visit.ts'

describe.skipIf(!findChromium())('the page of a run', () => {
  let visiting: Visit
  let bench: ConsoleBench
  let runId: string

  beforeAll(async () => {
    bench = await startConsoleBench(DOCUMENTS)
    visiting = await openVisit(await sharedChromium(), bench)
    const audiences = [{ name: 'قائمة', file: 'data.txt', groupId: '9007199254740993' }]
    const inputs = { note: 'for ana', file: 'data.txt', partners: [1, 2], audiences }
    const { body } = await bench.post('operator', 'runs', { pipeline: 'form', inputs })
    runId = String(body.runId)
    await untilStatus(bench, runId, 'waiting')
  })
  afterAll(async () => {
    await closeVisit(visiting)
    await bench?.stop()
  })
  const open = (at: string) => goOn(visiting, bench.url, at)

  test('its log is searched, by a link too, and saved as a file', async () => {
    const page = await open(`runs/${runId}?tab=log`)
    const lines = page.getByRole('list', { name: 'Events of the run' }).getByRole('listitem')
    await lines.nth(2).waitFor()
    const all = await lines.count()
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('RUN.started')
    await page.getByText(`1 of ${all} events`).waitFor()
    expect(await lines.count()).toBe(1)
    await page.waitForURL(/find=RUN.started/)
    await page.reload()
    await page.getByText(`1 of ${all} events`).waitFor()
    await look(page, 'run-log-search')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).press('Enter'),
    ])
    expect(download.suggestedFilename()).toBe(`${runId}.jsonl`)
    const saved = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(saved.map((line) => (JSON.parse(line) as { runId: string }).runId)).toEqual(Array(all).fill(runId))
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('there is no such word')
    await page.getByText('No event matches.').waitFor()
  })

  test('a run that waits may put out something yet', async () => {
    const page = await open(`runs/${runId}?tab=inputs`)
    await page.getByText('It has not ended.').waitFor()
    expect(await page.getByText('The run has no outputs.').count()).toBe(0)
  })

  test('"Run again" begins with the inputs of the run', async () => {
    const page = await open(`runs/${runId}`)
    await page.getByRole('link', { name: 'Run again…' }).press('Enter')
    await page.getByText('with the inputs of run').waitFor()
    expect(await page.getByLabel('note').inputValue()).toBe('for ana')
    expect(await page.getByLabel('partners').inputValue()).toBe('1\n2')
    expect(await page.getByLabel('name of row 1').inputValue()).toBe('قائمة')
    expect(await page.getByLabel('groupId of row 1').inputValue()).toBe('9007199254740993')
    await page.getByLabel('note').fill('once more')
    await page.getByRole('button', { name: 'Show the plan' }).press('Enter')
    await page.getByRole('button', { name: 'Run now' }).press('Enter')
    await page.getByText('This step is waiting for an approval.').waitFor()
    const inputsOf = async (id: string) => (await bench.as('viewer', `runs/${id}`)).body.inputs as object
    const again = page.url().split('/').at(-1) ?? ''
    expect(again).not.toBe(runId)
    expect(await inputsOf(again)).toEqual({ ...(await inputsOf(runId)), note: 'once more' })
  })

  test('the commands for it are there to copy', async () => {
    const page = await open(`runs/${runId}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText('On the command line').press('Enter')
    const command = `audience runs approve ${runId} go`
    await page.getByRole('listitem').filter({ hasText: command }).getByRole('button').press('Enter')
    await page.getByText('Command copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command)
    await look(page, 'run-commands')
  })
})

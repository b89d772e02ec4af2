import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { violations } from './support/axe.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { closeVisit, goOn, openVisit, type Visit } from './support/visit.ts'

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

describe.skipIf(!findChromium())('the form of a run', () => {
  let visiting: Visit
  let bench: ConsoleBench

  beforeAll(async () => {
    bench = await startConsoleBench(DOCUMENTS)
    visiting = await openVisit(await sharedChromium(), bench)
  })
  afterAll(async () => {
    await closeVisit(visiting)
    await bench?.stop()
  })

  const open = async () => {
    const page = await goOn(visiting, bench.url, 'pipelines/form/run', /^(400|413) /)
    await page.getByLabel('note').waitFor()
    return page
  }
  const plan = (page: Page) => page.getByRole('button', { name: 'Show the plan' }).click()
  const upload = (page: Page, about: string, file: ReturnType<typeof fileOf>) =>
    page
      .getByRole('button', { name: `Upload… ${about}`, exact: true })
      .locator('xpath=following-sibling::input')
      .setInputFiles(file)

  test('every type of input, a file of this computer, rows of objects; the plan, then the run has all of it', async () => {
    const page = await open()
    await upload(page, 'file', fileOf('week 1.csv', 'a\n'))
    await page.getByText('Uploaded week 1.csv').waitFor()
    await page.getByLabel('note').fill('for ana')
    await page.getByLabel('amount').fill('9007199254740993')
    await page.getByLabel('share').fill('.25')
    await page.getByLabel('isUrgent').selectOption('true')
    await page.getByLabel('from').fill('2026-02-03')
    await page.getByLabel('kind').selectOption('stream')
    await page.getByLabel('partners').fill('2001\n2003')
    await page.getByRole('button', { name: 'Add a row to audiences' }).press('Enter')
    await page.locator('[aria-label="name of row 1"]:focus').waitFor()
    await page.keyboard.type('first')
    await upload(page, 'file of row 1', fileOf('first.csv', 'b\n'))
    await page.getByText('Uploaded first.csv').waitFor()
    await page.getByRole('button', { name: 'Add a row to audiences' }).press('Enter')
    await page.getByLabel('name of row 2').fill('second')
    await page.getByLabel('file of row 2').fill('data.txt')
    await page.getByLabel('groupId of row 2').fill('7')
    await page.getByLabel('scope of row 2').selectOption('MOBILE')
    await plan(page)
    await page.getByRole('heading', { name: 'Plan' }).waitFor()
    await look(page, 'form-plan')
    await page.getByRole('button', { name: 'Run now' }).click()
    await page
      .getByText(/^Send /)
      .first()
      .waitFor()
    const runId = page.url().split('/').at(-1)
    const { body } = await bench.as('viewer', `runs/${runId}`)
    const { file, audiences, ...others } = body.inputs as Record<string, unknown> & { audiences: { file: string }[] }
    expect(others).toEqual({
      ...{ note: 'for ana', amount: '9007199254740993', share: 0.25, isUrgent: true, from: '2026-02-03' },
      ...{ kind: 'stream', partners: [2001, 2003] },
    })
    expect(readFileSync(String(file), 'utf8')).toBe('a\n')
    expect(audiences).toEqual([
      { name: 'first', file: expect.stringMatching(/first\.csv$/), groupId: 9001, scope: 'CABLE' },
      { name: 'second', file: expect.stringMatching(/data\.txt$/), groupId: 7, scope: 'MOBILE' },
    ])
    expect(readFileSync(String(audiences[0]?.file), 'utf8')).toBe('b\n')
  })

  test('what is wrong stands at its field, which gets the focus', async () => {
    const page = await open()
    await plan(page)
    await page.getByText('file is required').waitFor()
    await page.locator('input[aria-invalid=true]:focus').waitFor()
    await page.getByText('audiences needs at least one row').waitFor()
    await page.getByLabel('file', { exact: false }).first().fill('data.txt')
    await page.getByRole('button', { name: 'Add a row to audiences' }).click()
    await page.getByLabel('name of row 1').fill('قائمة'.repeat(12))
    await page.getByLabel('groupId of row 1').fill('many')
    await plan(page)
    await page.getByText('2 fields are wrong').waitFor()
    const wrong = page.getByLabel('file of row 1')
    await expect.poll(() => wrong.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
    expect(await wrong.getAttribute('aria-describedby').then((id) => page.locator(`[id="${id}"]`).textContent())).toBe(
      'file is required',
    )
    await look(page, 'form-wrong')
    await wrong.fill('/etc/hostname')
    await page.getByLabel('groupId of row 1').fill('1')
    await plan(page)
    await page.getByRole('cell', { name: /or one that was uploaded/ }).waitFor()
    await page.getByRole('button', { name: 'Remove row 1' }).click()
    await page.locator('[data-add]:focus').waitFor()
  })

  test('a long list comes from a file or is pasted, is shown in parts, and its wrong row is brought into sight', async () => {
    const page = await open()
    await page.getByLabel('file', { exact: false }).first().fill('data.txt')
    await page.getByText('Read all rows from a file, or paste them').click()
    const area = page.getByLabel('Rows of audiences as JSON or CSV')
    await area.fill('name,path\na,b')
    await page.getByRole('button', { name: 'Use the text' }).click()
    await page.getByText('there is no field path').waitFor()
    const lines = Array.from({ length: 2000 }, (_, row) => `list ${row},${row === 1234 ? '' : 'data.txt'}`)
    const csv = fileOf('lists.csv', `name,file\n${lines.join('\n')}\n`)
    await page
      .getByRole('button', { name: 'Read a file… into audiences' })
      .locator('xpath=following-sibling::input')
      .setInputFiles(csv)
    await page.getByText('2,000 rows from lists.csv').waitFor()
    await page.getByText('Rows 1 to 50 of 2,000').waitFor()
    await plan(page)
    await page.getByText('Rows 1,201 to 1,250 of 2,000').waitFor()
    await page.locator('[aria-label="file of row 1235"]:focus').waitFor()
    await page.keyboard.type('data.txt')
    expect(await violations(page)).toEqual([])
    await plan(page)
    await page.getByRole('heading', { name: 'Plan' }).waitFor()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page
      .getByText(/^Send /)
      .first()
      .waitFor()
    const { body } = await bench.as('viewer', `runs/${page.url().split('/').at(-1)}`)
    expect((body.inputs as { audiences: object[] }).audiences).toHaveLength(2000)
  })

  test('a file that cannot be uploaded leaves the field as it is and says why', async () => {
    const page = await open()
    await page.getByLabel('file', { exact: false }).first().fill('data.txt')
    await page.route('**/uploads?*', (route) =>
      route.fulfill({ status: 413, json: { code: 'file-too-large', message: 'the file is too large' } }),
    )
    await upload(page, 'file', fileOf('week 1.csv', 'a\n'))
    await page.getByText('It was not uploaded: the file is too large').waitFor()
    expect(await page.getByLabel('file', { exact: false }).first().inputValue()).toBe('data.txt')
  })
})

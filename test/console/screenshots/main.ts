import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../../support/audience.ts'
import { startChromium } from '../browser/support/start-chromium.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'

/** `npm run screenshots`: the pictures of docs/console.md, made from the runs of the quickstart and of pipelines/approval.yaml. */
const PICTURES = resolve(root, 'docs/console')
const GOOD_RUNS = 10

const folder = mkdtempSync(join(tmpdir(), 'audience-screenshots-'))
cpSync(join(root, 'pipelines'), join(folder, 'pipelines'), {
  recursive: true,
  // Two of the pipelines need a source in audience.yaml.
  filter: (path) => !/(inbox|from-bucket\.yaml|from-sftp\.yaml)$/.test(path),
})
const quickstart = readFileSync(join(root, 'pipelines/quickstart.yaml'), 'utf8')
const BY_HAND = quickstart.replace('name: quickstart', 'name: by-hand').replace(/groupId: \$\{\{.*/, 'partnerId: 2005')
const bench = await startConsoleBench({ 'by-hand.yaml': BY_HAND }, { folder })
const browser = await startChromium()
try {
  await take(bench)
} finally {
  await browser.close()
  await bench.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function take({ url, command }: ConsoleBench): Promise<void> {
  for (let run = 0; run < GOOD_RUNS; run++) await runToEnd('quickstart', 'succeeded')
  const good = await runToEnd('quickstart', 'succeeded')
  const waiting = await runToEnd('approval', 'waiting')
  const { out } = await command('console', '--json')
  const page = await browser.newPage({
    viewport: { width: 1120, height: 640 },
    colorScheme: 'light',
    timezoneId: 'UTC',
  })
  await page.goto((JSON.parse(out) as { url: string }).url)
  // The browser keeps its session once a request with it has been answered.
  await page.getByText('Runs of the last').waitFor()
  const picture = async (name: string, address: string, until: string) => {
    await page.goto(new URL(address, url).href)
    await page.getByText(until).first().waitFor()
    await page.locator('main .loading').first().waitFor({ state: 'detached' })
    writeFileSync(join(PICTURES, `${name}.png`), await page.screenshot())
  }
  mkdirSync(PICTURES, { recursive: true })
  await picture('home', '', 'Runs of the last')
  await picture('run', `runs/${good}`, 'activations.create')
  await picture('approval', `runs/${waiting}`, 'This step is waiting for an approval.')
  await picture('pipeline', 'pipelines/quickstart', 'Last runs')
  await picture('form', 'pipelines/guarded/run', 'Add a row')
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture('run-dark', `runs/${good}`, 'activations.create')
  await page.emulateMedia({ colorScheme: 'light' })
  await bench.post('operator', 'runs', { pipeline: 'by-hand' })
  await picture('service', 'service', 'Pending approval')
}

async function runToEnd(pipeline: string, status: string): Promise<string> {
  const { body } = await bench.post('operator', 'runs', { pipeline })
  const runId = String(body.runId)
  for (;;) {
    const { body: detail } = await bench.as('viewer', `runs/${runId}`)
    const { run } = detail as { readonly run: { readonly status: string } }
    if (run.status === status) return runId
    if (run.status === 'failed') throw new Error(`${pipeline} failed`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import type { BenchConsole } from './bench-console.ts'

const main = resolve(import.meta.dirname, '../../dist/main.js')

/** A browser that has loaded nothing yet and is signed in. */
export async function signedIn(browser: Browser, { root, url }: BenchConsole): Promise<BrowserContext> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'console', '--json'], {
    ...{ cwd: root, env: { PATH: process.env.PATH, HOME: root, AUDIENCE_TOKEN: 'bench-token' } },
  })
  const answer = await fetch((JSON.parse(stdout) as { url: string }).url)
  const [pair = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
  const [name = '', value = ''] = pair.split('=')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'Europe/Berlin' })
  context.setDefaultTimeout(120_000)
  await context.addCookies([{ name, value, url }])
  return context
}

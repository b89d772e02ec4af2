import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

/**
 * The sandbox of Chromium does not work for root or in most containers. Its GPU process costs 7 % of the processor
 * time.
 */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']

/** Starts it without a window. */
export function startChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('there is no Chromium')
  return chromium.launch({ executablePath, args: ARGS, timeout: 120_000 })
}

let shared: Promise<Browser> | undefined

/**
 * The browser of this process. Its test files share it, and each closes the windows that it opened. It ends with the
 * process.
 */
export function sharedChromium(): Promise<Browser> {
  shared ??= startChromium()
  return shared
}

import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of the tests: that of `CHROMIUM`, or of the system; undefined where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM, REQUIRE_CHROMIUM } = process.env
  const found = [...(CHROMIUM === undefined ? [] : [CHROMIUM]), ...PLACES].find((path) => existsSync(path))
  if (found === undefined && REQUIRE_CHROMIUM === '1')
    throw new Error(
      'REQUIRE_CHROMIUM=1, but there is no Chromium; install it (apt-get install chromium) or set CHROMIUM',
    )
  return found
}

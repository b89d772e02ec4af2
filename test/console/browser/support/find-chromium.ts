import { existsSync } from 'node:fs'

/** The shell has no window to draw, and takes a fifth less processor time, or more. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)

/** The browser of the tests: that of `CHROMIUM`, or of the system; undefined where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM, REQUIRE_CHROMIUM } = process.env
  const found = [...(CHROMIUM === undefined ? [] : [CHROMIUM]), ...PLACES].find((path) => existsSync(path))
  if (found === undefined && REQUIRE_CHROMIUM === '1')
    throw new Error(
      'REQUIRE_CHROMIUM=1, but there is no Chromium; install it (apt-get install chromium-headless-shell) or set CHROMIUM',
    )
  return found
}

import { expect, onTestFinished, test } from 'vitest'
import { startOtherService } from '../other-service/other-service.ts'
import { audience } from '../support/audience.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * A service with 101 activations; `changes`: how often somebody deletes the first one and makes another, each time
 * after a page.
 */
async function listed(changes: number) {
  const service = await startOtherService({ ways: { crowd: 101 }, now: Date.now, activationName: 'Autos' })
  onTestFinished(() => service.close())
  const { activations } = service.holdings
  const last = activations.at(-1)?.id
  for (let change = 0; change < changes; change += 1) {
    service.afterNext('activations.list', () => {
      const first = activations.shift()
      if (first) activations.push({ ...first, id: service.holdings.number() })
    })
  }
  const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: tempFolder() }
  const { code, out, err } = await audience(['api', 'activations.list', '--all'], { env })
  const ids = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).ActivationId)
  return { code, err, hasLast: ids.includes(last), isUnique: new Set(ids).size === ids.length }
}

test.each([0, 1])(
  'api --all gives what was there all the time, though others change the list %i times',
  async (changes) => {
    expect(await listed(changes)).toEqual({ code: 0, err: '', hasLast: true, isUnique: true })
  },
)

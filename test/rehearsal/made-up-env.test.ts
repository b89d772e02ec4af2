import { expect, test } from 'vitest'
import { madeUpEnv } from '../../src/rehearsal/made-up-env.ts'

test('a variable is what a pipeline makes of it: a number, a boolean, or a URL, which is also a text', () => {
  const pipelines = [
    {
      env: ['ALERT_URL', 'LIMIT', 'SHARE', 'IS_ON', 'LIMIT_2', 'NAME'],
      text: '${{ env.ALERT_URL }} ${{ int(env.LIMIT) > 5 && double( env.SHARE ) < 1.0 && bool(env.IS_ON) }} ${{ size(env.NAME) }}',
    },
    { env: ['OTHER'], text: '${{ int(env.LIMIT_2) }}' },
  ]
  expect(madeUpEnv(pipelines)).toEqual({
    ALERT_URL: 'https://alert-url.example.com',
    LIMIT: '100',
    SHARE: '0.5',
    IS_ON: 'true',
    // Only the pipeline that may read it describes it.
    LIMIT_2: 'https://limit-2.example.com',
    NAME: 'https://name.example.com',
    OTHER: 'https://other.example.com',
  })
})

test('the longest name of a variable gives a host that names may have', () => {
  const [value = ''] = Object.values(madeUpEnv([{ env: ['N'.repeat(200)], text: '' }]))
  expect(new URL(value).hostname.split('.')[0]).toHaveLength(63)
})

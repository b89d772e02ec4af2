import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putComment } from '../../../src/cli/ci/comments.ts'
import { jobOf } from '../../../src/cli/ci/pull-request.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { jobEnv, startForge, TOKEN } from './forge.ts'

const MARKER = '<!-- audience ci: pipelines -->'

function eventFile(): string {
  const file = join(tempFolder(), 'event.json')
  writeFileSync(file, JSON.stringify({ pull_request: { number: 7, head: { sha: 'abc' } } }))
  return file
}

describe.each(['GitHub', 'GitLab'] as const)('at %s', (kind) => {
  async function bench() {
    const forge = await startForge()
    const slept: number[] = []
    const file = kind === 'GitHub' ? eventFile() : undefined
    const put = (text: string, run = 100, name = 'pipelines') => {
      const comments = jobOf(jobEnv(forge.api, file === undefined ? {} : { eventFile: file }), systemClock).comments(
        TOKEN,
        undefined,
      )
      return putComment(comments!, { name, run, text }, async (ms) => void slept.push(ms))
    }
    const own = () => forge.comments.filter(({ who }) => who !== 'somebody').map(({ body }) => body)
    return { ...forge, put, slept, own }
  }

  test('a second time, the comment is updated in place', async () => {
    const { put, own } = await bench()
    expect(await put('first')).toBe('created')
    expect(await put('second', 101)).toBe('updated')
    expect(own()).toEqual([`${MARKER}\n<!-- run 101 -->\nsecond`])
  })

  test('two jobs have a comment each', async () => {
    const { put, own } = await bench()
    await put('checks')
    await put('plan', 100, 'plan')
    await put('checks again')
    expect(own().map((body) => body.split('\n')[2])).toEqual(['checks again', 'plan'])
  })

  test('a comment of somebody else is never taken, whatever it begins with, and no marker within a text counts', async () => {
    const { put, own, add, comments } = await bench()
    add(`${MARKER}\n<!-- run 1 -->\nmine, honestly`)
    add(`see ${MARKER}\n`, 'github-actions[bot]')
    add(`text\n${MARKER}\n<!-- run 1 -->`, 'github-actions[bot]')
    await put(`a plan with\n${MARKER}\n<!-- run 999 -->`)
    await put('next', 101)
    expect(comments[0]?.body).toContain('mine, honestly')
    expect(own()).toHaveLength(3)
    expect(own()[2]).toBe(`${MARKER}\n<!-- run 101 -->\nnext`)
  })

  test('it is found on the third page', async () => {
    const { put, own, add, requests } = await bench()
    for (let n = 0; n < 230; n++) add(`comment ${n}`)
    await put('first')
    requests.length = 0
    expect(await put('second', 101)).toBe('updated')
    expect(own()).toHaveLength(1)
    expect(requests.filter((one) => one.startsWith('GET') && !one.includes('/user'))).toHaveLength(6)
  })

  test('an older run does not write over a newer one', async () => {
    const { put, own } = await bench()
    await put('new', 200)
    expect(await put('old', 199)).toBe('newer')
    expect(own()[0]).toContain('new')
  })

  test('two runs at the same time leave one comment, that of the newer run', async () => {
    const { put, own, holdLists, requests } = await bench()
    const both = Promise.withResolvers<void>()
    holdLists(both.promise)
    const runs = [put('older', 100), put('newer', 101)]
    await expect.poll(() => requests.filter((one) => one.startsWith('GET') && !one.includes('/user')).length).toBe(2)
    both.resolve()
    await Promise.all(runs)
    await put('newer', 101)
    expect(own()).toEqual([`${MARKER}\n<!-- run 101 -->\nnewer`])
  })

  test('an answer that is lost makes no second comment', async () => {
    const { put, own, faults, slept } = await bench()
    faults.push({ method: 'POST', status: 502, applied: true })
    await put('once')
    expect(own()).toHaveLength(1)
    expect(slept).toEqual([1000])
  })

  test('a service that is away for a moment is asked again, and not for ever', async () => {
    const { put, own, faults, slept } = await bench()
    faults.push({ method: 'GET', status: 503 }, { method: 'POST', status: 500 })
    await put('there')
    expect(own()).toHaveLength(1)
    for (let n = 0; n < 9; n++) faults.push({ method: 'GET', status: 503 })
    await expect(put('again')).rejects.toMatchObject({ status: 503 })
    expect(slept).toEqual([1000, 2000, 1000, 2000, 3000])
  })

  test('it waits as long as a rate limit says, if that is not long', async () => {
    const { put, faults, slept } = await bench()
    faults.push({ method: 'POST', status: 429, headers: { 'retry-after': '7' } })
    faults.push({ method: 'POST', status: 403, headers: { 'retry-after': '2' } })
    await put('there')
    expect(slept).toEqual([7000, 4000])
    faults.push({ method: 'GET', status: 429, headers: { 'retry-after': '3600' } })
    await expect(put('again')).rejects.toMatchObject({ status: 429 })
  })

  test.each([401, 403, 404])('%i is said at once', async (status) => {
    const { put, faults, slept } = await bench()
    faults.push({ method: 'POST', status })
    await expect(put('x')).rejects.toMatchObject({ name: 'CommentError', status })
    expect(slept).toEqual([])
  })

  test.each([[[null, 7, {}, { id: 'x', body: 4 }, { id: 1 }]], [[[]]]])(
    'items that are no comments: %j',
    async (data) => {
      const { put, own, faults } = await bench()
      faults.push({ method: 'GET', status: 200, data }, { method: 'GET', status: 200, data })
      faults.push({ method: 'GET', status: 200, data })
      await put('x').catch((error: unknown) => expect(error).toMatchObject({ name: 'CommentError' }))
      await put('y', 101)
      expect(own()).toHaveLength(1)
    },
  )

  test.each([7, 'a text', { id: 4 }])('what answers with no comment is asked again: %j', async (data) => {
    const { put, own, faults } = await bench()
    faults.push({ method: 'POST', status: 201, data })
    expect(await put('x')).toBe('created')
    expect(own()).toHaveLength(1)
  })

  test('the token goes to no other server', async () => {
    const other = await startForge()
    const { put, faults } = await bench()
    faults.push({
      method: 'POST',
      status: 307,
      headers: { location: `${other.api}/repos/acme/audience/issues/7/comments` },
    })
    await put('x')
    faults.push({ method: 'GET', status: 200, headers: { link: `<${other.api}/next>; rel="next"` } })
    await put('y', 101)
    expect(other.requests).toEqual([])
  })
})

test('outside a pull request there is nothing to comment on', () => {
  expect(jobOf({}, systemClock).comments(TOKEN, undefined)).toBeUndefined()
  expect(
    jobOf({ GITHUB_ACTIONS: 'true', GITHUB_API_URL: 'http://x', GITHUB_REPOSITORY: 'a/b' }, systemClock).comments(
      TOKEN,
      undefined,
    ),
  ).toBeUndefined()
  const hostile = { CI_API_V4_URL: 'http://x', CI_MERGE_REQUEST_PROJECT_ID: '3/../4', CI_MERGE_REQUEST_IID: '7' }
  expect(jobOf(hostile, systemClock).comments(TOKEN, undefined)).toBeUndefined()
})

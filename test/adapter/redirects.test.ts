import { expect, test } from 'vitest'
import { scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const JOB = { id: '7', status: 'READY' }
const createMatch = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }

test.each([301, 302, 303, 307, 308])('a read follows %i within its origin (decision 18)', async (status) => {
  await using server = await scriptedServer([{ status, headers: { location: '/moved/7?a=1' } }, { json: JOB }])
  await using client = testClient(server.url)
  expect(await client.api.jobs.get({ jobId: '7' })).toEqual(JOB)
  expect(server.seen.map((seen) => seen.url)).toEqual(['/p/1001/api/jobs/7', '/moved/7?a=1'])
})

test('a read that is sent in circles gives up', async () => {
  await using server = await scriptedServer([{ status: 302, headers: { location: '/again' } }])
  await using client = testClient(server.url)
  await expect(client.api.jobs.get({ jobId: '7' })).rejects.toMatchObject({ code: 'redirected' })
  expect(server.seen).toHaveLength(6)
})

test('the token never goes to another origin (decision 18)', async () => {
  await using other = await scriptedServer([{ json: JOB }])
  await using server = await scriptedServer([
    { status: 302, headers: { location: `${other.url}/api/jobs/7?secret=1` } },
  ])
  await using client = testClient(server.url)
  const error = await client.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'redirected',
    message: `GET /api/jobs/7 was rejected: 302 redirects to ${other.url}/api/jobs/7`,
  })
  expect(other.seen).toEqual([])
})

test.each([
  ['javascript:alert(1)', 'redirects to javascript:alert(1)'],
  ['file:///etc/passwd', 'redirects to file:/etc/passwd'],
  ['mailto:a', 'redirects to mailto:a'],
  ['http://no host/x?secret=1', 'redirects to http://no host/x'],
  ['', 'Temporary Redirect without a Location, so it leads nowhere'],
])('a redirect to %j is shown as it is', async (location, said) => {
  await using server = await scriptedServer([{ status: 307, headers: { location } }])
  await using client = testClient(server.url)
  const error = await client.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: `GET /api/jobs/7 was rejected: 307 ${said}` })
})

test.each([
  [400, 'jobs.get', { jobId: '7' }],
  [404, 'jobs.get', { jobId: '7' }],
  [404, 'groups.list', {}],
] as const)('a redirect to what is not there (%i) does not say that %s finds nothing', async (status, id, input) => {
  await using server = await scriptedServer([{ status: 302, headers: { location: '/login' } }, { status }])
  await using client = testClient(server.url)
  await expect(client.api.untyped.call(id, input)).rejects.toMatchObject({ code: 'redirected' })
})

test.each([301, 303, 304, 307, 308])(
  'a write never follows %i; its outcome is then unknown (decisions 18 and 151)',
  async (status) => {
    await using server = await scriptedServer([{ status, headers: { location: '/moved' } }, { json: JOB }])
    await using client = testClient(server.url)
    await expect(client.api.matches.create(createMatch)).rejects.toMatchObject({
      code: status === 304 ? 'bad-answer' : 'redirected',
      request: { outcome: 'unknown' },
    })
    expect(server.seen).toHaveLength(1)
  },
)

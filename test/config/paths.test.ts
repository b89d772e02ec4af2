import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load-settings.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { testClient } from '../adapter/test-client.ts'

const config = (path: string) => parseConfig(`profiles: { a: { paths: { groups.list: "${path}" } } }`, 'audience.yaml')

test('a profile says where the lists are whose paths the contract does not show (decisions 115, 146)', async () => {
  await using server = await scriptedServer([{ json: { group: [] } }])
  await using client = testClient(server.url, { paths: config('/v1/all-groups').profiles?.a?.paths ?? {} })
  await client.api.groups.list({ groupFeature: 'AGGREGATED_MATCH' })
  expect(server.seen[0]?.url).toBe('/p/1001/v1/all-groups?groupFeature=AGGREGATED_MATCH')
})

test.each(['v1/groups', '/groups?all=true', '/a b', '/groups#x', '/groups/{id}'])('%s is no such path', (path) => {
  expect(() => config(path)).toThrow('audience.yaml has 1 error')
})

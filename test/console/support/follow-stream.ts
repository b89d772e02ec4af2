import { get, type IncomingMessage } from 'node:http'
import { expectEventFits, expectFits } from './fits-schema.ts'

export interface Seen {
  readonly name: string
  readonly data: Record<string, unknown>
  /** Only the events of a run have an id. */
  readonly id?: number
}

/** Follows a stream of a console until the connection ends: that of all changes, or `runs/ID/events?follow`. */
export async function follow(
  { url }: { readonly url: string },
  headers: Readonly<Record<string, string>>,
  path = 'events',
) {
  const seen: Seen[] = []
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL(`api/v1/${path}`, url), { agent: false, headers }, resolve).on('error', reject)
  })
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, name = '', json = ''] = /^(?:id: (\d+)\n)?event: ([\w.]+)\ndata: (.*)$/s.exec(block) ?? []
      const data = JSON.parse(json) as Record<string, unknown>
      if (id === undefined) expectEventFits(name, data)
      else expectFits('GET', path, data)
      seen.push(id === undefined ? { name, data } : { name, data, id: Number(id) })
    }
  })
  const ended = new Promise<void>((resolve) => {
    response.on('error', () => resolve()).on('close', resolve)
  })
  const named = (name: string) => seen.filter((event) => event.name === name)
  return { status: response.statusCode, response, seen, named, ended }
}

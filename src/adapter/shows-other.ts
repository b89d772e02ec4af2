import type { Operation } from '../contract/operation.ts'
import type { Json, JsonObject } from '../core/json.ts'

/**
 * Says so if an answer is about something else than its request: it shows another id than the request named. Ids are
 * equal as text, as numbers of any size and as both; one that the answer does not show proves nothing.
 */
export function showsOther({ shows = {} }: Operation, input: JsonObject, answer: JsonObject): string | undefined {
  for (const [asked, shown] of Object.entries(shows)) {
    const [wanted, found] = [idText(input[asked]), idText(answer[shown])]
    if (found === '' || wanted === '' || found === wanted) continue
    return `it is about ${shown} ${found.slice(0, MAX_SHOWN)}, and ${asked} ${wanted.slice(0, MAX_SHOWN)} was asked for`
  }
  return undefined
}

const MAX_SHOWN = 60

function idText(id: Json | undefined): string {
  if (id === undefined || id === null) return ''
  return typeof id === 'object' ? 'of no known kind' : String(id).replace(/^0+(?=\d+$)/, '')
}

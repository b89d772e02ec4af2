import type { ApiClient } from '../adapter/api-client.ts'
import { type OperationId, operationOf } from '../contract/operations.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { ObjectSchema } from '../core/json-schema.ts'

/** The maximum number of items in a step: its outputs are recorded whole, and expressions iterate over them. */
export const MAX_LISTED = 10_000

/**
 * The answer to an operation. Reads a list in pages to its end, because a pipeline that acts on a list means all of it.
 * If the input names a page, reads only that page. Throws `list-too-long` instead of dropping items.
 */
export async function readAnswer(
  id: OperationId,
  input: JsonObject,
  { api, signal }: { api: ApiClient; signal: AbortSignal },
): Promise<JsonObject> {
  const { list } = operationOf(id)
  if (!list?.paged || input.page !== undefined || input.pageSize !== undefined) {
    const answer = await api.untyped.call(id, input, { signal })
    return isJsonObject(answer) ? answer : {}
  }
  const items: JsonObject[] = []
  for await (const item of api.untyped.items(id, input, { signal })) {
    if (items.length === MAX_LISTED) throw tooLong(id)
    items.push(item)
  }
  return { [list.items]: items }
}

/** The output schema of an operation that answers with pages. */
export function listOutput(id: OperationId): ObjectSchema {
  const { output, list } = operationOf(id)
  if (!output || !list) throw new Error(`${id} does not answer with a list`)
  const { items: key } = list
  const { [key]: items = {}, page, pageSize, hasMore } = output.properties
  const ofOnePage = (schema: object | undefined, description: string) => ({ ...schema, description })
  return {
    ...output,
    required: [key],
    properties: {
      [key]: { ...items, description: 'The items.' },
      page: ofOnePage(page, 'The page, if one was asked for.'),
      pageSize: ofOnePage(pageSize, 'The page size, if a page was asked for.'),
      hasMore: ofOnePage(hasMore, 'Whether more pages follow, if a page was asked for.'),
    },
  }
}

function tooLong(id: OperationId): AudienceError {
  return failedError(
    'list-too-long',
    `${id} has more than ${count(MAX_LISTED, 'item')}`,
    'narrow it with a filter, or read a page at a time with page and pageSize',
  )
}

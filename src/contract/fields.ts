/** Building blocks of the contract's schemas; each returns plain JSON Schema. */

/** A required text: not blank, at most `maxLength` UTF-16 units (decisions 36 and 37). */
export const requiredText = <const Max extends number>(maxLength: Max, description: string) =>
  ({ type: 'string', minLength: 1, maxLength, pattern: '\\S', description }) as const

export const optionalText = <const Max extends number>(maxLength: Max, description: string) =>
  ({ type: 'string', maxLength, description }) as const

/** An optional text of an update: null clears it, an absent field keeps it (decision 45). */
export const clearableText = <const Max extends number>(maxLength: Max, description: string) =>
  ({ type: ['string', 'null'], maxLength, description }) as const

export const nullableText = (description: string) => ({ type: ['string', 'null'], description }) as const

/** A 64-bit id: a decimal string in memory, a JSON number on the wire, exact both ways (decisions 68, 70, 73). */
export const int64 = (description: string) => ({ type: 'string', format: 'int64', description }) as const

export const nullableInt64 = (description: string) =>
  ({ type: ['string', 'null'], format: 'int64', description }) as const

/** An integer id of a participant: 32 bits (decision 68). */
export const int32Id = (description: string) =>
  ({ type: 'integer', minimum: 0, maximum: 2_147_483_647, description }) as const

export const anyInteger = (description: string) => ({ type: 'integer', description }) as const

export const integerBetween = <const Min extends number, const Max extends number>(
  minimum: Min,
  maximum: Max,
  description: string,
) => ({ type: 'integer', minimum, maximum, description }) as const

/** One of a closed, case-sensitive set (decision 16). */
export const oneOf = <const Values extends readonly (string | number)[]>(values: Values, description: string) =>
  ({ enum: values, description }) as const

/**
 * A response field with known values. Other values are also accepted, because the list may grow (decisions 12, 25, 31).
 */
export const openEnum = <const Values extends readonly string[]>(values: Values, description: string) =>
  ({ type: 'string', examples: values, description }) as const

/** An object with these fields and any others (decision 12). `required` names those that are always present. */
export const openObject = <
  const Properties extends object,
  const Required extends readonly (keyof Properties & string)[],
>(
  required: Required,
  properties: Properties,
) => ({ type: 'object', required, properties }) as const

/** The properties that all read operations share. */
export const READ = { method: 'GET', status: 200, accept: 'vendor', repeat: 'always' } as const

/** The properties that all delete operations share. The contract lets most of them answer in any media type. */
export const DELETE = { method: 'DELETE', output: null, status: 200, accept: 'any', repeat: 'always' } as const

/** The two query parameters of every paged list (decision 130). */
export const pageFields = {
  page: integerBetween(0, 1000, 'The page, counted from 0.'),
  pageSize: integerBetween(10, 100, 'Items per page; default 10.'),
} as const

/** The response of a paged list, with its items under `key`. */
export const pageOf = <const Key extends string, const Item>(key: Key, item: Item) => {
  const items = { type: 'array', items: item, description: 'The items of this page.' } as const
  return {
    type: 'object',
    required: [key, 'page', 'pageSize', 'hasMore'],
    properties: {
      ...({ [key]: items } as { readonly [K in Key]: typeof items }),
      page: anyInteger('The page that was asked for.'),
      pageSize: anyInteger('The page size that was asked for.'),
      hasMore: { type: 'boolean', description: 'Whether more pages follow.' },
    },
  } as const
}

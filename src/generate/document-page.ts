import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'
import { describeSchema, isObjectSchema } from './describe-schema.ts'
import { fieldTable } from './field-table.ts'
import { anchor, page } from './markdown.ts'

/** The page on the keys of a YAML document, with a section for each kind of object in it. */
export function documentPage(title: string, intro: string, schema: ObjectSchema): string {
  const sections = objectsIn(schema)
  return page(
    `# ${title}`,
    intro,
    ...[...sections].flatMap(([object, path]) => [
      ...(path === '' ? [] : [`## ${path}`]),
      ...(path !== '' && object.description !== undefined ? [object.description] : []),
      fieldTable(['key', 'type', 'required', 'limits', 'meaning'], object, {
        typeOf: (schema) => typeWithLink(schema, sections),
      }),
    ]),
  )
}

/**
 * Every object with named keys, with the first path to it from the top: `steps[].forEach`, `profiles.NAME`. An object
 * that appears in several places is listed once.
 */
function objectsIn(
  schema: ObjectSchema,
  path = '',
  found = new Map<ObjectSchema, string>(),
): Map<ObjectSchema, string> {
  if (listed(schema, found) !== undefined) return found
  found.set(schema, path)
  for (const [name, property] of Object.entries(schema.properties)) {
    const [inner, suffix] = innerObject(property)
    if (inner) objectsIn(inner, `${path === '' ? '' : `${path}.`}${name}${suffix}`, found)
  }
  return found
}

/**
 * The path under which an object is listed. An object that differs only because null may replace it has the same path.
 */
function listed({ properties }: ObjectSchema, found: ReadonlyMap<ObjectSchema, string>): string | undefined {
  return [...found].find(([known]) => known.properties === properties)?.[1]
}

/** The object that a key holds: the value itself, each item of a list, or each value of a map. */
function innerObject(schema: JsonSchema): [object: ObjectSchema | undefined, suffix: string] {
  const { items, additionalProperties } = schema
  if (isObjectSchema(schema)) return [schema, '']
  if (items && isObjectSchema(items)) return [items, '[]']
  const named = typeof additionalProperties === 'object' && isObjectSchema(additionalProperties)
  return named ? [additionalProperties, '.NAME'] : [undefined, '']
}

function typeWithLink(schema: JsonSchema, sections: ReadonlyMap<ObjectSchema, string>): string {
  const [inner] = innerObject(schema)
  const path = inner && listed(inner, sections)
  return path === undefined ? describeSchema(schema) : `[${describeSchema(schema)}](#${anchor(path)})`
}

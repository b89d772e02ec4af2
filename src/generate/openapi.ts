import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { type Operation, VENDOR_MEDIA_TYPE } from '../contract/operation.ts'
import { formatSizeLimit } from '../core/format/figures.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { type OpenApiNode, openApiBody, openApiParameters, openApiPaths, withParts } from '../http/open-api.ts'
import { errorResponses, errorsOf, problemSchema } from './openapi-problems.ts'
import { operationsByResource, resourceOf, titledSchemas } from './resources.ts'

const DESCRIPTION = `Audience segments, their matches with partners and groups, and activations.

Long work answers with a job at once and continues after the answer; read the job until it has ended. 64-bit ids are JSON
numbers: read and write them without converting them to a double.

Extensions hold what OpenAPI cannot express:

- \`x-starts-job\`: the operation starts a job; \`resource\` is the field of the ended job that names what it made or
  changed, \`read\` the operation that reads that.
- \`x-repeat\`: what to do when the answer to a request was lost. \`always\`: send it again. \`contentAddressed\`: send it
  again under a name made from the content. \`lookUp\`: look for what it makes. \`onceMore\`: read the state,
  then send it at most once more. \`never\`: look for it; if it is not there, ask a person.
- \`x-client\`: \`warns\` marks a rule that another implementation of the service may not have.
`

/** The OpenAPI 3.1 document of the service, from the contract alone. */
export function serviceOpenApi(operations: Readonly<Record<string, Operation>>): OpenApiNode {
  const components = titledSchemas(Object.values(operations).map(({ output }) => output))
  return {
    openapi: '3.1.0',
    info: { title: 'Audience Data Service', version: '1', description: DESCRIPTION },
    servers: [
      {
        url: '{base_url}',
        variables: {
          base_url: {
            default: 'http://127.0.0.1:4010/p/1001',
            description: 'Address of the service; each participant has its own.',
          },
        },
      },
    ],
    security: [{ bearer: [] }],
    tags: operationsByResource(operations).map(({ name }) => ({ name })),
    paths: openApiPaths(operations, describe),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: errorResponses,
      schemas: {
        ...Object.fromEntries([...components].map(([title, schema]) => [title, expandedSchema(schema)])),
        Problem: problemSchema,
      },
    },
  }
}

function describe(id: string, operation: Operation): OpenApiNode {
  const { summary, description, status, job, repeat } = operation
  const parameters = openApiParameters(operation, wireSchema)
  const body = requestBody(operation)
  return {
    operationId: id,
    tags: [resourceOf(id)],
    summary,
    description,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body,
    responses: { [status]: success(operation), ...errorsOf(operation, { takesBody: body !== undefined }) },
    'x-starts-job': job && { resource: job.resource, read: job.read.operation },
    'x-repeat': repeat,
  }
}

/** JSON, or multipart with the file as a part; undefined if the operation takes no body. */
function requestBody(operation: Operation): OpenApiNode | undefined {
  const { rules, upload } = operation
  const { required, properties } = openApiBody(operation)
  if (Object.keys(properties).length === 0) return undefined
  const schema = {
    type: 'object',
    required: required.length > 0 ? required : undefined,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, name === upload ? FILE_PART : wireSchema(field)]),
    ),
    allOf: rules,
  }
  return {
    required: required.length > 0 || rules !== undefined,
    content: { [upload === undefined ? 'application/json' : 'multipart/form-data']: { schema } },
  }
}

const FILE_PART: JsonSchema = {
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: `The file, with its file name; at most ${formatSizeLimit(MAX_UPLOAD_BYTES)} (150 MB). Exactly one part.`,
}

function success({ output, job, list }: Operation): OpenApiNode {
  if (output === null) return { description: 'Done. The response has no body.' }
  const description = job ? 'The job that was started.' : list?.paged ? 'A page of the list.' : 'The result.'
  return { description, content: { [VENDOR_MEDIA_TYPE]: { schema: wireSchema(output) } } }
}

/**
 * A schema of the contract in its form on the wire, not in memory: a 64-bit id is an integer (decision 68). A schema
 * with a title becomes a reference to a component.
 */
function wireSchema(schema: JsonSchema): JsonSchema {
  return schema.title === undefined ? expandedSchema(schema) : { $ref: `#/components/schemas/${schema.title}` }
}

/** The same, but the schema itself is written out even if it has a title, as the content of the component. */
function expandedSchema(schema: JsonSchema): JsonSchema {
  if (schema.format === 'int64')
    return { ...schema, type: schema.type === 'string' ? 'integer' : ['integer', 'null'], minimum: 0 }
  // In the schema of an enumeration, the key `type` comes first.
  return withParts(schema.enum ? { type: undefined, ...schema } : schema, wireSchema)
}

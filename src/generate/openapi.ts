import type { Operation } from '../contract/operation.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { OpenApiNode } from './openapi-node.ts'
import { openApiOperation } from './openapi-operation.ts'
import { errorResponses, problemSchema } from './openapi-problems.ts'
import { operationsByResource, titledSchemas } from './resources.ts'
import { expandedSchema } from './wire-schema.ts'

const DESCRIPTION = `Audience segments, their matches with partners and groups, and activations.

Long work answers with a job at once and goes on after the answer; read the job until it has ended. 64-bit ids are JSON
numbers: read and write them without going through a double.

What OpenAPI has no words for stands in extensions:

- \`x-starts-job\`: the operation starts a job; \`resource\` is the field of the ended job that names what it made or
  changed, \`read\` the operation that reads that.
- \`x-repeat\`: what to do when the answer to a request was lost. \`always\`: send it again. \`contentAddressed\`: send it
  again under a name made from the content. \`lookUp\`: look whether what it makes is there. \`onceMore\`: read the state,
  then send it once more at the most. \`never\`: look it up; if it is not there, ask a person.
- \`x-client\`: \`warns\` marks a rule that another implementation of the service may not have.
`

/** The OpenAPI 3.1 document of the service, from the contract alone. */
export function openApiDocument(operations: Readonly<Record<string, Operation>>): OpenApiNode {
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
    paths: paths(operations),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: errorResponses,
      schemas: { ...componentSchemas(operations), Problem: problemSchema },
    },
  }
}

function paths(operations: Readonly<Record<string, Operation>>): Record<string, OpenApiNode> {
  const byPath: Record<string, Record<string, OpenApiNode>> = {}
  for (const [id, operation] of Object.entries(operations)) {
    byPath[operation.path] = {
      ...byPath[operation.path],
      [operation.method.toLowerCase()]: openApiOperation(id, operation),
    }
  }
  return byPath
}

function componentSchemas(operations: Readonly<Record<string, Operation>>): Record<string, JsonSchema> {
  const schemas = titledSchemas(Object.values(operations).map(({ output }) => output))
  return Object.fromEntries([...schemas].map(([title, schema]) => [title, expandedSchema(schema)]))
}

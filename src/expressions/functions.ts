import { conversionFunctions } from './conversion-functions.ts'
import { dateFunctions } from './date-functions.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { macros } from './macros.ts'
import { numberFunctions } from './number-functions.ts'
import { textFunctions } from './text-functions.ts'
import { timePartFunctions } from './time-part-functions.ts'

const statusFunctions: readonly FunctionDefinition[] = [
  {
    name: 'success',
    parameters: [],
    returns: 'bool',
    description: 'Whether no step of the run has failed so far.',
    example: { expression: 'success()', result: 'true' },
    run: ({ failed }) => !failed,
  },
  {
    name: 'failure',
    parameters: [],
    returns: 'bool',
    description: 'Whether a step of the run has failed so far.',
    example: { expression: 'failure()', result: 'false' },
    run: ({ failed }) => failed,
  },
]

/** Every function and method of the language. */
export const functions: readonly FunctionDefinition[] = [
  ...macros,
  ...conversionFunctions,
  ...numberFunctions,
  ...textFunctions,
  ...dateFunctions,
  ...timePartFunctions,
  ...statusFunctions,
]

/** The function or method with a given name. */
export function findFunction(name: string, options: { method: boolean }): FunctionDefinition | undefined {
  return (options.method ? METHODS : PLAIN).get(name)
}

const METHODS = new Map(functions.filter(({ receiver }) => receiver).map((method) => [method.name, method]))
const PLAIN = new Map(functions.filter(({ receiver }) => !receiver).map((plain) => [plain.name, plain]))

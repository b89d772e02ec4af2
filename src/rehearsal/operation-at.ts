import { type OperationId, operations } from '../contract/operations.ts'

const PATTERNS = (Object.keys(operations) as OperationId[]).map((id) => {
  const { method, path } = operations[id]
  return { id, method, pattern: new RegExp(`^/p/[^/]+${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }
})

/**
 * The operation of a request to the service, by its method and target; undefined if the contract has no such operation.
 */
export function operationAt(method: string, target: string): OperationId | undefined {
  const [path = ''] = target.split('?')
  return PATTERNS.find((one) => one.method === method && one.pattern.test(path))?.id
}

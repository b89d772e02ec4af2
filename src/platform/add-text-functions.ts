import type { DuckDBConnection } from '@duckdb/node-api'

/** Makes functions of one text known to an instance of DuckDB; undefined is NULL. They run in this thread, for each chunk of rows. */
export async function addTextFunctions(
  connection: DuckDBConnection,
  functions: Readonly<Record<string, (text: string) => string | undefined>>,
): Promise<void> {
  const { DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api')
  for (const [name, of] of Object.entries(functions)) {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: [VARCHAR],
        returnType: VARCHAR,
        mainFunction(_info, input, output) {
          const texts = input.getColumnVector(0)
          for (let row = 0; row < input.rowCount; row += 1) {
            const text = texts.getItem(row)
            output.setItem(row, typeof text === 'string' ? (of(text) ?? null) : null)
          }
          output.flush()
        },
      }),
    )
  }
}

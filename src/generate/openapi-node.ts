/** Plain data that becomes part of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>

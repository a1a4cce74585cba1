import { readFile, writeFile } from 'node:fs/promises'
import { introspectionFromSchema } from 'graphql/index.js'
import openapiTypes from 'openapi-typescript'
import { BULK_ROUTES } from '../../src/surfaces/admin-api/bulk.ts'
import { openApiDocument } from '../../src/surfaces/admin-api/openapi.ts'
import { ROUTES } from '../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../src/surfaces/admin-api/upload.ts'
import { buildMemberSchema } from '../../src/surfaces/member-api/schema.ts'

const root = new URL('../../', import.meta.url)

/**
 * Writes the generated files that are not in git: the OpenAPI document of the Admin API, and the
 * types of the test clients for the Admin API and the Member API.
 */
export async function generateTypes(): Promise<void> {
  const document = openApiDocument([...ROUTES, UPLOAD_ROUTE, ...BULK_ROUTES], {
    origin: 'https://school.example',
    contact: { name: 'The school', url: 'https://school.example/docs' },
  })
  await update('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
  await update(
    'test/flows/admin-api/openapi.generated.ts',
    await openapiTypes(new URL('docs/openapi.json', root), { defaultNonNullable: false }),
  )
  const introspection = introspectionFromSchema(buildMemberSchema('newer'), { descriptions: false })
  await update(
    'test/flows/member-api/introspection.generated.ts',
    `export const introspection = ${JSON.stringify(introspection)} as const\n`,
  )
}

/** An unchanged file is not written, so that tools which watch it do nothing. */
async function update(path: string, text: string): Promise<void> {
  const file = new URL(path, root)
  const present = await readFile(file, 'utf8').catch(() => undefined)
  if (present !== text) await writeFile(file, text)
}

import { z } from 'zod'
import { publicTool, READS } from '../tool.ts'

export const getSchool = publicTool({
  name: 'get_school',
  title: 'About the school',
  description:
    'Who this school is: name, description, currency, time zone, and where its APIs are. Reads only.',
  annotations: READS,
  input: z.strictObject({}),
  output: z.object({
    name: z.string(),
    tagline: z.string(),
    description: z.string(),
    url: z.string(),
    locale: z.string(),
    timeZone: z.string(),
    currency: z.string(),
    guideUrl: z.string().describe('how to build a client'),
    memberApiUrl: z.string().describe('GraphQL, for members’ own data'),
    restDescriptionUrl: z.string().describe('OpenAPI document of the REST API, for operators'),
  }),
  run: async ({ school }) => ({
    name: school.name,
    tagline: school.appearance.tagline,
    description: school.description,
    url: school.origin,
    locale: school.locale,
    timeZone: school.timeZone,
    currency: school.currency,
    guideUrl: `${school.origin}/docs`,
    memberApiUrl: `${school.origin}/member/graphql`,
    restDescriptionUrl: `${school.origin}/openapi.json`,
  }),
})

import type { GuideAudience } from './commands.ts'

/** Answers to the commands of the guide, shortened. A test compares their members with those of real answers. */

const ID = '01920000-0000-7000-8000-000000000000'

export function tokenSample(audience: GuideAudience, signsIdTokens: boolean): object {
  const openid = signsIdTokens ? ['openid'] : []
  return {
    access_token: 'sg_at_…',
    token_type: 'Bearer',
    expires_in: 7200,
    refresh_token: 'sg_rt_…',
    scope: (audience === 'member'
      ? ['account:read', 'email', ...openid, 'profile']
      : ['courses:read', ...openid]
    ).join(' '),
    ...(signsIdTokens ? { id_token: 'eyJ…' } : {}),
    ...(audience === 'member'
      ? { school_id: ID, school_subdomain: 'school', created_at: 1800000000 }
      : {}),
  }
}

export const USERINFO_SAMPLE = { sub: ID, org_id: ID, roles: ['student'] }

export const MEMBER_API_SAMPLE = {
  data: { viewer: { id: ID, name: 'Ada', enrolledCourses: { nodes: [{ title: 'Bread' }] } } },
}

export const REST_SAMPLE = {
  object: 'list',
  data: [{ object: 'course', id: ID, slug: 'bread', title: 'Bread', state: 'published' }],
  has_more: false,
  next: null,
}

export function toolSample(audience: GuideAudience): object {
  const text = audience === 'member' ? '{"courses":[…' : '{"action":"courses.list","result":{…'
  return {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text }], structuredContent: {} },
  }
}

import { demoServices, demoStudyGroups } from './demo-consulting.ts'
import { demoCourses } from './demo-courses.ts'
import { demoCoupons, demoEvents, demoPlans, demoProducts } from './demo-offers.ts'
import { demoStories } from './demo-stories.ts'
import { demoDiscussions, demoForms, demoPages, demoPosts } from './demo-writing.ts'
import type { SchoolContent } from './school-content.ts'

export const demoAcademy: SchoolContent = {
  key: 'demo',
  name: 'Demo Academy',
  description: 'Code, data, letters and voices: small courses by people who answer.',
  tagline: 'Learn one thing well.',
  colors: ['#3b4cca', '#0f766e'],
  currency: 'TWD',
  timeZone: 'Asia/Taipei',
  variant: 'newer',
  mcpConnections: true,
  keyStage: 'active',
  classmates: [1, 24],
  lecturers: [
    {
      key: 'lecturer-one',
      headline: 'Software, pronunciation, sound',
      bio: 'Twenty years of reading other people’s code, ten of them out loud.',
    },
    {
      key: 'lecturer-two',
      headline: 'Databases and charts',
      bio: 'Believes that most questions are one good query away from an answer.',
    },
    {
      key: 'lecturer-three',
      headline: 'Letters, pictures, speeches',
      bio: 'Sets type by day and stages by night.',
    },
  ],
  courses: demoCourses,
  products: demoProducts,
  plans: demoPlans,
  coupons: demoCoupons,
  events: demoEvents,
  services: demoServices,
  studyGroups: demoStudyGroups,
  posts: demoPosts,
  pages: demoPages,
  forms: demoForms,
  // No bank has the code 990, so that no transfer can be sent by mistake.
  payAt: { bank: ['990', 'Island Demo Bank'], store: ['DEMO', 'Corner Demo Store'] },
  members: demoStories,
  discussions: demoDiscussions,
}

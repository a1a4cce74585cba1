import {
  archiveCoupon,
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
  removeCoupon,
} from '../../../domain/commerce/coupon-operations.ts'
import { listOrders, readOrder } from '../../../domain/commerce/order-operations.ts'
import {
  archivePlan,
  changePlan,
  createPlan,
  listPlans,
  publishPlan,
  readPlan,
} from '../../../domain/commerce/plan-operations.ts'
import {
  archiveProduct,
  changeProduct,
  createProduct,
  listProducts,
  publishProduct,
  readProduct,
  removeProduct,
} from '../../../domain/commerce/product-operations.ts'
import {
  cancelSubscription,
  listSubscriptions,
  readSubscription,
  resumeSubscription,
} from '../../../domain/commerce/subscription-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

export const SALES_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_sales',
    title: 'Look at sales',
    description:
      'Orders with their payments, coupons, membership plans, subscriptions and digital products. Reads only.',
    changedBy: ['change_sales'],
    operations: [
      listOrders,
      readOrder,
      listCoupons,
      readCoupon,
      listPlans,
      readPlan,
      listSubscriptions,
      readSubscription,
      listProducts,
      readProduct,
    ],
  }),
  operationTool({
    name: 'change_sales',
    title: 'Change what is sold',
    description:
      'Creates, changes, publishes, archives and removes coupons, membership plans and digital products; cancels and resumes subscriptions. Takes effect at once; no money is moved.',
    operations: [
      createCoupon,
      changeCoupon,
      archiveCoupon,
      removeCoupon,
      createPlan,
      changePlan,
      publishPlan,
      archivePlan,
      createProduct,
      changeProduct,
      publishProduct,
      archiveProduct,
      removeProduct,
      cancelSubscription,
      resumeSubscription,
    ],
  }),
]

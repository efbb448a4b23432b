/** What a floor answers: a card as large as the sandbox's, and that it is well. */
export const answers = {
  made: {
    status: 201,
    body: JSON.stringify({
      id: "7d7c2f0a-4f3c-4f0e-8f43-1f5c6b1f0a11",
      token: "123456789",
      company_id: "0c9d3f52-6a53-4a0e-9d53-3c1c5a0f7b21",
      account_id: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
      user_id: "5a4b1e90-0f6e-4f0c-b0a7-9a7e8f6c2d31",
      type: "physical",
      design_id: "standard",
      status: "active",
      name: "Physical 1234",
      last_four: "1234",
      expiry_date: "2031-03-31",
      auto_convert: false,
      three_ds_biometric: false,
      spending_limit: { period: "monthly", amount: "250.00", currency: "GBP", used: "0.00" },
      card_limits: {
        currency: "EUR",
        max_per_purchase: { amount: "10000.00" },
        daily: { amount: "20000.00" },
        rolling_32_days: { amount: "50000.00" },
      },
      created_at: "2026-03-10T09:30:00.000Z",
    }),
  },
  well: { status: 200, body: JSON.stringify({ status: "ok" }) },
};

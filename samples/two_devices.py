# agx trace samples/two_devices.py --x "randn(2,3)" --w "randn(3,2,device='meta')"
# shows: device-mismatch-input-not-moved
# status: 1
# Operands on two devices; meta stands in for an accelerator.
x @ w
